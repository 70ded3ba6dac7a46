/** Servers that ask for a user and password. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../http/certificates.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { basicGuard, digestGuard, fieldsOf, type Guard, type GuardOptions, hashed } from './guard.ts';
import { startPull, stateFolder } from './pulling.ts';
import { type OdooServer, odooServer, serve } from './servers.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  return () => node.stop();
});

const KNOWN = { user: 'till', password: 'open sesame' };
const receipt = (id: string) => ({ id, body: `<text>&lt;${id}&gt;&#10;</text><cut/>` });
const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
const times = (id: string) => paper().split(`<${id}>`).length - 1;

async function guardedOdoo(guard: Pick<Guard, 'check'>, most?: number): Promise<OdooServer> {
  const server = await odooServer({ before: (request) => guard.check(request), ...(most && { most }) });
  onTestFinished(() => server.close());
  return server;
}
const startSdp = (server: OdooServer, credentials: typeof KNOWN | undefined = KNOWN, state?: string) =>
  startPull({ server: server.url, node: node.url, protocol: 'sdp' }, [], state, credentials);

it('the tests reckon as RFC 7616 does in its examples (3.9)', () => {
  const of = (algorithm: string) => {
    const secret = hashed(algorithm, 'Mufasa', 'http-auth@example.org', 'Circle of Life');
    const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    return hashed(algorithm, secret, nonce, '00000001', cnonce, 'auth', hashed(algorithm, 'GET', '/dir/index.html'));
  };
  expect(of('MD5')).toBe('8ca523f5e9506fed4657c9700eebdbec');
  expect(of('SHA-256')).toBe('753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1');
});

describe('a server that asks for a Digest hands out its receipts, and takes their results, where it is', () => {
  it.each<[string, GuardOptions]>([
    ['as in RFC 2069', { qop: undefined }],
    ['MD5 without a name', {}],
    ['MD5', { algorithm: 'MD5' }],
    ['SHA-256 of two kinds', { algorithm: 'SHA-256', qop: 'auth-int,auth' }],
    ['SHA-512-256', { algorithm: 'SHA-512-256' }],
    ['MD5-sess', { algorithm: 'MD5-sess' }],
    ['SHA-256-sess', { algorithm: 'SHA-256-sess' }],
    ['with the hash of the user', { algorithm: 'SHA-256', userhash: true }],
    ['of letters of UTF-8', { user: 'K\u00e4se "1"', password: 'gro\u00df\\:\u20ac', realm: 'Caf\u00e9' }],
  ])('%s', async (_, options) => {
    const guard = digestGuard(options);
    const server = await guardedOdoo(guard);
    server.queue.push(receipt('a'));
    const { user, password } = { ...KNOWN, ...options };
    const { log } = await startSdp(server, { user, password });
    await until(() => guard.let.length > 3);
    expect([times('a'), server.heard[0]?.success, log]).toEqual([1, true, []]);
    // Asked once, and from then on known before each request.
    expect(guard.sent.filter((each) => each === undefined)).toHaveLength(1);
    expect(guard.let.slice(0, 3).map((each) => each.split(' ')[2])).toEqual(
      options.qop === undefined && 'qop' in options ? ['0', '0', '0'] : ['1', '2', '3'],
    );
  });
});

it('the body of a request is sent again behind a challenge', async () => {
  const guard = digestGuard();
  const server = await guardedOdoo(guard);
  await startSdp(server);
  expect(server.asked.slice(0, 2)).toEqual(['GetRequest', 'GetRequest']);
  expect(server.forms[1]?.toString()).toBe(server.forms[0]?.toString());
});

describe('a nonce that is over', () => {
  it.each(['nextnonce', 'stale', 'silent'] as const)('after each request is no refusal: %s', async (once) => {
    const guard = digestGuard({ once });
    const server = await guardedOdoo(guard, 1);
    server.queue.push(receipt('a'), receipt('b'), receipt('c'));
    const { log } = await startSdp(server);
    await until(() => server.heard.length === 3);
    expect([...['a', 'b', 'c'].map(times), log.length]).toEqual([1, 1, 1, 0]);
  });

  it('with a server that has started anew under another realm is replaced, in the middle of a batch', async () => {
    const guard = digestGuard();
    const server = await guardedOdoo({
      check(request) {
        if (server.asked.filter((each) => each === 'SetResponse').length === 1 && server.heard.length === 0)
          guard.restart('another');
        return guard.check(request);
      },
    });
    server.queue.push(receipt('a'), receipt('b'));
    await startSdp(server);
    await until(() => server.heard.length === 2);
    expect([times('a'), times('b')]).toEqual([1, 1]);
    expect(fieldsOf(guard.sent.at(-1) ?? '')).toMatchObject({ realm: 'another' });
  });

  it('without end is told, and not answered without end', async () => {
    const server = await guardedOdoo({
      check: () => ({
        status: 401,
        headers: { 'WWW-Authenticate': 'Digest realm="a", nonce="b", qop="auth", stale=true' },
      }),
    });
    const { log } = await startSdp(server);
    expect(log).toEqual(['server: the server answered 401: it takes none of the nonces that it gives']);
    expect(server.asked).toHaveLength(3);
  });
});

describe('what the server refuses is told once, and the password is in no line:', () => {
  it.each([
    ['Digest', digestGuard],
    ['Basic', basicGuard],
  ])('%s with another password', async (_, guardOf) => {
    const guard = guardOf();
    const server = await guardedOdoo(guard);
    const { log } = await startSdp(server, { user: 'till', password: 'wrong-0815' });
    await until(() => guard.sent.length > 6);
    const refused = log.filter((line) =>
      line.includes('the server answered 401: it does not take the user and password'),
    );
    expect(refused).toHaveLength(1);
    expect(log.join()).not.toContain('wrong-0815');
    // Each time asked for anew, and answered once.
    expect(guard.sent.slice(0, 4).map((each) => each !== undefined)).toEqual([false, true, false, true]);
  });

  it('what it asks for, where it is asked without', async () => {
    const guard = digestGuard({ algorithm: 'SHA-256' });
    const server = await guardedOdoo(guard);
    const started = await startPull({ server: server.url, node: node.url, protocol: 'sdp' });
    expect(started.log).toEqual([
      'server: the server answered 401: it asks for a user and password (Digest SHA-256 qop auth)',
    ]);
  });

  it.each<[string, RegExp, string?]>([
    ['Negotiate', /Negotiate; known here are Digest/],
    ['Digest realm="a", nonce="b", algorithm=SHA-512, qop="auth"', /Digest SHA-512 qop auth; known/],
    ['Digest realm="a", nonce="b", algorithm=__proto__', /Digest __proto__; known/],
    ['Digest realm="a", nonce="b", qop="auth-int"', /Digest qop auth-int; known/],
    ['Digest realm="a", qop="auth"', /Digest qop auth without a nonce; known/],
    ['Digest realm="a, nonce="b"', /Digest without a nonce; known/],
    ['', /nothing that is a challenge; known/],
    ['=,=,"",,', /nothing that is a challenge; known/],
    ['many spaces', /Digest without a nonce; known/, `Digest ${'\t, '.repeat(4000)}`],
    ['many schemes', /S0, S1, S2, /, Array.from({ length: 1500 }, (_, n) => `S${n} a=b`).join()],
    ['a nonce that is too long for a head', /^server: (?!.*bbbb)/, `Digest realm="a", nonce="${'b'.repeat(20_000)}"`],
  ])('a challenge that has no answer: %s', async (name, words, challenge = name) => {
    const server = await guardedOdoo({ check: () => ({ status: 401, headers: { 'WWW-Authenticate': challenge } }) });
    const { log } = await startSdp(server);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatch(words);
    expect(log[0]?.length).toBeLessThan(300);
    expect(server.asked).toEqual(['GetRequest']);
  });
});

it.each([
  [
    'in one field',
    'Basic realm="a", NTLM, Negotiate abc==, Digest realm="a", nonce="b", qop="auth", algorithm=SHA-999',
  ],
  ['in several', ['Basic realm="a"', 'Digest realm="a", nonce="b", algorithm=SHA-256']],
])('a Digest that is known is answered of several challenges %s, else Basic', async (_, challenge) => {
  const sent: (string | undefined)[] = [];
  const server = await guardedOdoo({
    check(request) {
      sent.push(request.headers.authorization);
      return { status: 401, headers: { 'WWW-Authenticate': challenge } };
    },
  });
  await startSdp(server);
  expect(sent[1]).toMatch(typeof challenge === 'string' ? /^Basic / : /^Digest .*algorithm=SHA-256/);
});

it('a password as it is goes over plain HTTP only when it is asked for, and the log says so once', async () => {
  const guard = basicGuard({ user: 'K\u00e4se', password: '' });
  const server = await guardedOdoo(guard);
  server.queue.push(receipt('a'));
  const { log } = await startSdp(server, { user: 'Ka\u0308se', password: '' });
  await until(() => server.heard.length === 1);
  expect(guard.sent[0]).toBeUndefined();
  expect(guard.sent.slice(1).every((each) => each !== undefined)).toBe(true);
  expect(log).toEqual([expect.stringContaining('whoever stands between can read it')]);
});

it('an answer behind a 401 that has gigabytes, or breaks off, is a 401', async () => {
  for (const rest of [{ body: 'x'.repeat(9_000_000) }, { cut: true, body: 'x', headers: { 'Content-Length': '5' } }]) {
    const server = await guardedOdoo({ check: () => ({ status: 401, ...rest }) });
    const { log } = await startSdp(server);
    expect(log).toEqual([expect.stringContaining('the server answered 401')]);
  }
});

it('a redirect behind a challenge is not followed, and nothing is sent there', async () => {
  const reached: string[] = [];
  const other = await serve((request) => {
    reached.push(request.url ?? '');
    return {};
  });
  onTestFinished(() => other.close());
  const guard = digestGuard();
  const server = await guardedOdoo({
    check: (request) => guard.check(request) ?? { status: 307, headers: { Location: other.url } },
  });
  const { log } = await startSdp(server);
  expect([log, reached]).toEqual([['server: the server answered 307, a redirect, which is not followed'], []]);
});

describe('CloudPRNT', () => {
  const startStar = (url: string) =>
    startPull({ server: url, node: node.url, protocol: 'cloudprnt' }, [], undefined, KNOWN);

  /** Hands out one job until it is given back, with one of `codes`. */
  const oneJob = ({ method }: { readonly method?: string | undefined }, url: URL, codes: (string | null)[]) => {
    if (method === 'GET') return { headers: { 'Content-Type': 'text/plain' }, body: '<a>\n' };
    if (method === 'DELETE') codes.push(url.searchParams.get('code'));
    return { body: JSON.stringify({ jobReady: codes.length === 0, jobToken: 't', mediaTypes: ['text/plain'] }) };
  };

  it.each([
    ['Digest', digestGuard],
    ['Basic', basicGuard],
  ])('polls, fetches and gives back with %s', async (_, guardOf) => {
    const guard = guardOf();
    const codes: (string | null)[] = [];
    const server = await serve((request, _body, url) => {
      const refusal = guard.check(request);
      if (refusal !== undefined) return refusal;
      return oneJob(request, url, codes);
    });
    onTestFinished(() => server.close());
    await startStar(server.url);
    await until(() => codes.length === 1);
    expect([codes, times('a')]).toEqual([['200 OK'], 1]);
    expect(guard.let.slice(0, 3).map((each) => each.split(' ')[0])).toEqual(['POST', 'GET', 'DELETE']);
  });

  it('leaves a job with the server that is refused by 401 in the middle, and prints it once when it is let in', async () => {
    const guard = digestGuard();
    const codes: (string | null)[] = [];
    let refusals = 0;
    const server = await serve((request, _body, url) => {
      const refusal = guard.check(request);
      if (refusal !== undefined) return refusal;
      if (request.method !== 'POST' && ++refusals % 3 > 0) return { status: 401, body: 'x'.repeat(9_000_000) };
      return oneJob(request, url, codes);
    });
    onTestFinished(() => server.close());
    await startStar(server.url);
    await until(() => codes.length === 1);
    expect([codes, times('a')]).toEqual([['200 OK'], 1]);
  });

  it('has the password from the first request on, as printers of Star have, by https alone', async () => {
    const authority = createAuthority();
    const leaf = authority.sign('IP:127.0.0.1');
    const sent: (string | undefined)[] = [];
    const server = await serve(
      (request) => {
        sent.push(request.headers.authorization);
        return { body: '{}' };
      },
      undefined,
      leaf,
    );
    const ca = join(stateFolder(), 'ca.pem');
    writeFileSync(ca, authority.cert);
    onTestFinished(async () => {
      await server.close();
      authority.remove();
    });
    const options = { server: server.url, node: node.url, ca };
    await startPull({ ...options, protocol: 'cloudprnt' }, [], undefined, KNOWN);
    await startPull({ ...options, protocol: 'sdp' }, [], undefined, KNOWN);
    const basic = `Basic ${Buffer.from('till:open sesame').toString('base64')}`;
    expect([sent[0], new Set(sent)]).toEqual([basic, new Set([basic, undefined])]);
  });

  it('sends nothing of the user and password to another place that a job lies at', async () => {
    const sent: (string | undefined)[] = [];
    const other = await serve((request) => {
      sent.push(request.headers.authorization);
      return { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="a"' } };
    });
    const guard = basicGuard();
    const server = await serve((request) => {
      // Another host of the same port, where Basic is known by now.
      const jobGetUrl = other.url;
      return (
        guard.check(request) ?? {
          body: JSON.stringify({ jobReady: true, jobToken: 't', mediaTypes: ['text/plain'], jobGetUrl }),
        }
      );
    });
    onTestFinished(async () => {
      await server.close();
      await other.close();
    });
    const { log } = await startStar(server.url);
    await until(() => log.some((line) => line.includes('jobGetUrl')));
    expect(sent).toEqual([]);
  });
});
