/** What `tillnode.txt` says becomes calls of the API. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { callsOf, makeCalls, textOf } from '../../runtime/disk/system/prepared.ts';

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

  it('with a line that says nothing known is refused as a whole, and the line is named', () => {
    expect(() => callsOf('name = x\nwifi = y')).toThrow(/^line 2 is none of name, /);
  });

  it('is taken with its own key once that is stored, and what is refused is told', async () => {
    const seen: [string | undefined, unknown, unknown][] = [];
    const answer = async (request: IncomingMessage) => {
      seen.push([request.url, request.headers['x-node-api-key'], JSON.parse(await text(request))]);
      return request.url === '/cloud' ? 422 : 200;
    };
    const server = createServer((request, response) => {
      void answer(request).then((code) => response.writeHead(code).end('because'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await makeCalls(callsOf(FILE), `http://127.0.0.1:${port}`, 10_000)).toEqual(['/cloud: 422 because']);
    expect(seen.map(([path, key]) => [path, key])).toEqual([
      ['/name', undefined],
      ['/cloud', undefined],
      ['/config', undefined],
      ['/network', '0123456789abcdef'],
    ]);
    server.close();
  });
});
