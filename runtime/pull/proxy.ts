/** The way to a server through a proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, as curl reads them). */
import { type RequestOptions, request } from 'node:http';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

const CONNECT_MS = 15_000;

/** The proxy for a URL; undefined where there is none. Throws where it is no http:// URL, or has a user or password that is not encoded. */
export function proxyFor({ protocol, hostname, port }: URL, environment: Environment): URL | undefined {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || '';
  const text = read(protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (text === '' || isExcepted(hostname, port, read('no_proxy'))) return undefined;
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole) || !whole.toLowerCase().startsWith('http://'))
    throw new Error('the proxy that the environment names is to be an http:// URL');
  const proxy = new URL(whole);
  try {
    decodeURIComponent(proxy.username + proxy.password);
  } catch {
    throw new Error('the proxy that the environment names has a % in its user or password that is to be %25');
  }
  return proxy;
}

function isExcepted(hostname: string, port: string, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) return false;
      const bare = name.replace(/^\*?\./, '');
      return entry === '*' || host === bare || host.endsWith(`.${bare}`);
    });
}

/** The `proxied` of an `Outbound`: an http request is sent to the proxy, an https one through a tunnel (RFC 9110, 9.3.6). */
export const throughProxy =
  (environment: Environment) =>
  (url: URL, tls: ConnectionOptions): RequestOptions | undefined => {
    const proxy = proxyFor(url, environment);
    if (proxy === undefined) return undefined;
    const place = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || 80 };
    const headers = authorizationOf(proxy);
    if (url.protocol === 'http:') return { ...place, headers, path: `${url.origin}${url.pathname}${url.search}` };
    return {
      // With an agent it would not be called.
      agent: undefined,
      createConnection: (_options, done) => {
        const path = `${url.hostname}:${url.port || 443}`;
        const asked = request({
          ...place,
          method: 'CONNECT',
          path,
          headers: { Host: path, ...headers },
          agent: false,
          timeout: CONNECT_MS,
        });
        // An error here would not close the request; one of its socket does.
        const fail = (error: Error) => {
          asked.destroy();
          const broken = new Duplex({ read: () => {}, write: () => {} });
          done(null, broken);
          setImmediate(() => broken.destroy(error));
        };
        asked.once('connect', ({ statusCode }, socket) => {
          if (statusCode === 200) done(null, connect({ ...tls, socket }));
          else fail(new Error(`the proxy answered ${statusCode}`));
        });
        asked.once('response', ({ statusCode }) => fail(new Error(`the proxy answered ${statusCode}`)));
        asked.once('timeout', () => fail(new Error('the proxy does not answer')));
        asked.once('error', fail);
        asked.end();
        return undefined;
      },
    };
  };

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
