/** What `tillnode.txt` says becomes calls of the API. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callsOf, makeCalls, pullOf, startJobOf, textOf } from '../../runtime/disk/system/prepared.ts';

const FILE = `# of the shop in Lyon\r
wifi.ssid = Café = bar\r
wifi.password=12345678
  name = Counter 2  
cloud.url = https://cloud.example/
key.api = 0123456789abcdef
`;

describe('tillnode.txt', () => {
  it('is one call for each path, the network last', () => {
    expect(callsOf(FILE)).toEqual([
      { method: 'PUT', path: '/name', body: { name: 'Counter 2' } },
      { method: 'PUT', path: '/cloud', body: { url: 'https://cloud.example/' } },
      { method: 'PUT', path: '/config', body: { apiKey: '0123456789abcdef' } },
      { method: 'POST', path: '/network', body: { ssid: 'Café = bar', password: '12345678' } },
    ]);
  });

  it('has no password for an open network', () => {
    expect(callsOf('wifi.ssid = guests')).toEqual([
      { method: 'POST', path: '/network', body: { ssid: 'guests', password: '' } },
    ]);
  });

  it.each([
    ['UTF-8', Buffer.from('\ufeffname = Caf\u00e9')],
    ['UTF-16, as Windows writes it', Buffer.from('\ufeffname = Caf\u00e9', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('\ufeffname = Caf\u00e9', 'utf16le').swap16()],
  ])('may be of %s', (_, bytes) => {
    expect(callsOf(textOf(bytes))).toEqual([{ method: 'PUT', path: '/name', body: { name: 'Caf\u00e9' } }]);
  });

  it('switches `tillnode pull` on where it names a hosted till, with the key that it stores', () => {
    expect(pullOf(FILE, 'http://127.0.0.1')).toBeUndefined();
    const till =
      'pull.server = https://shop.example/get_print_jobs?a=b\npull.protocol = sdp\npull.drawer = on\npull.user = shop\npull.password = a = b';
    expect(callsOf(till)).toEqual([]);
    expect(JSON.parse(pullOf(`${FILE}${till}`, 'http://127.0.0.1') ?? '')).toEqual({
      node: 'http://127.0.0.1',
      key: '0123456789abcdef',
      state: '/var/lib/tillnode-pull',
      servers: [
        {
          name: 'till',
          server: 'https://shop.example/get_print_jobs?a=b',
          protocol: 'sdp',
          every: 5,
          allowDrawer: true,
          user: 'shop',
          password: 'a = b',
        },
      ],
    });
  });

  it.each([
    ['pull.protocol = sdp\npull.server = https://a:b@shop.example/', /server must not hold a user name/],
    ['pull.server = https://shop.example/\npull.protocol = ipp', /protocol is sdp or cloudprnt/],
    ['pull.server = https://shop.example/\npull.protocol = sdp\npull.drawer = maybe', /pull.drawer is on or off/],
    ['pull.protocol = sdp', /server is needed/],
    ['pull.server = https://shop.example/\npull.protocol = sdp\npull.user = me', /^(?!.*: me)password is /],
    ['pull.colour = red', /^line 1 is none of name, .*, pull.server, /],
  ])('does not switch it on for what it could not read: %j', (text, words) => {
    expect(() => pullOf(text, 'http://127.0.0.1')).toThrow(words);
  });

  it('has what is printed at each start, with the key that it stores', () => {
    expect(startJobOf(FILE)).toBeUndefined();
    expect(callsOf('start.print = Good morning')).toEqual([]);
    expect(startJobOf('start.print = Good morning, Lyon = home')).toEqual({ text: 'Good morning, Lyon = home' });
    expect(startJobOf(`${FILE}start.print = ${'é'.repeat(200)}`)).toEqual({
      text: 'é'.repeat(200),
      key: '0123456789abcdef',
    });
  });

  it('has a space there for what would move the paper or turn the text round', () => {
    expect(startJobOf('start.print = a\x1bd\x0cb\u202ec\0')).toEqual({ text: 'a d b c' });
  });

  it.each(['start.print =', 'start.print = \x1b\x0c', `start.print = ${'a'.repeat(201)}`])(
    'prints nothing at a start where that has no character, or more than 200: %j',
    (text) => {
      expect(() => startJobOf(text)).toThrow('start.print has 1 to 200 characters');
    },
  );

  it('with a line that says nothing known is refused as a whole, and the line is named', () => {
    expect(() => callsOf('name = x\nwifi = y')).toThrow(/^line 2 is none of name, /);
  });

  it('is not taken where it has more than 4,096 bytes: a password would be cut off', () => {
    expect(() => textOf(Buffer.alloc(4097, ' '))).toThrow('more than 4096 bytes');
  });

  it('is taken with its own key once that is stored, and what is refused is told', async () => {
    const node = await nodeThat(({ path }) => (path === '/cloud' ? 422 : 200));
    expect(await makeCalls(callsOf(FILE), node.url, AT_ONCE)).toEqual(['/cloud: 422 because']);
    expect(node.seen.map(({ path, key }) => [path, key])).toEqual([
      ['/name', undefined],
      ['/cloud', undefined],
      ['/config', undefined],
      ['/network', '0123456789abcdef'],
    ]);
  });

  it('is asked again of a node that fails, and of one that does not answer', async () => {
    const node = await nodeThat(({ path, times }) => {
      if (path === '/name' && times < 3) return undefined;
      return path === '/network' && times < 2 ? 500 : 200;
    });
    expect(await makeCalls(callsOf(FILE), node.url, { ...AT_ONCE, patienceMs: 60_000 })).toEqual([]);
    const paths = node.seen.map(({ path }) => path);
    expect(paths).toEqual(['/name', '/name', '/name', '/cloud', '/config', '/network', '/network']);
  });

  it('is given up where the node goes on failing, and the calls after it are made', async () => {
    const node = await nodeThat(({ path }) => (path === '/name' ? undefined : 500));
    const refused = await makeCalls(callsOf('name = x\nwifi.ssid = y'), node.url, { ...AT_ONCE, patienceMs: 50 });
    expect(refused).toEqual([expect.stringMatching(/^\/name: /), '/network: 500 because']);
  });
});

const AT_ONCE = { timeoutMs: 10_000, patienceMs: 0, pauseMs: 1 };

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  /** How often this path was asked for, this time included. */
  readonly times: number;
}

/** A node that answers these codes, or hangs up. */
async function nodeThat(answers: (asked: Asked) => number | undefined) {
  const seen: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await text(request);
    const path = request.url ?? '';
    const key = request.headers['x-node-api-key'] as string | undefined;
    const asked = { path, key, times: seen.filter((each) => each.path === path).length + 1 };
    seen.push(asked);
    const code = answers(asked);
    if (code === undefined) request.socket.destroy();
    else response.writeHead(code).end('because');
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
