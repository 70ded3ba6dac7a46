/** Options of the program, and of its file; the way through a proxy. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Outbound } from '../../runtime/http/outbound.ts';
import { OptionError, readOptions } from '../../runtime/pull/options.ts';
import { proxyFor, throughProxy } from '../../runtime/pull/proxy.ts';

const args = (change: Readonly<Record<string, string | undefined>> = {}) =>
  Object.entries({
    ...{ server: 'https://till.example/a?b=c', protocol: 'sdp', node: 'http://node.local/', state: '/s', every: '5' },
    ...change,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));

function fileWith(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'pull-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pull.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const server = { server: 'https://till.example/', protocol: 'cloudprnt', every: 2 };

it('options of the command line are one server', () => {
  expect(readOptions([...args(), '--allow-drawer'], { TILLNODE_API_KEY: 'k' })).toMatchObject({
    node: 'http://node.local',
    apiKey: 'k',
    servers: [
      ...[
        {
          protocol: 'sdp',
          everyMs: 5000,
          staleMs: 600_000,
          endpoint: 'receipt',
          id: 'local_printer',
          allowDrawer: true,
        },
      ],
    ],
  });
});

it('options of a file are read behind the mark that some editors put at its beginning', () => {
  const text = JSON.stringify({ node: 'http://n', state: '/s', servers: [server] });
  expect(readOptions(['--config', fileWith(`\ufeff${text}`)], {}).node).toBe('http://n');
});

it('options of a file are several, each with a name of its own', () => {
  const config = fileWith({
    node: 'http://n',
    state: '/s',
    servers: [server, { ...server, name: 'bar', id: 'bar', endpoint: 'kitchen', allowDrawer: true, stale: 60 }],
  });
  expect(readOptions(['--config', config], {}).servers).toMatchObject([
    { name: 'server-1', allowDrawer: false, everyMs: 2000 },
    { name: 'bar', endpoint: 'kitchen', allowDrawer: true, staleMs: 60_000 },
  ]);
});

it('options of a file have the user and password that a server asks for, which the command line has not', () => {
  const servers = [
    { ...server, user: 'K\u00e4se', password: 'a:b "c"' },
    { ...server, id: 'b', user: 'key', password: '' },
  ];
  const config = fileWith({ node: 'http://n', state: '/s', servers });
  expect(readOptions(['--config', config], {}).servers.map(({ credentials }) => credentials)).toEqual([
    { user: 'K\u00e4se', password: 'a:b "c"' },
    { user: 'key', password: '' },
  ]);
  expect(() => readOptions([...args(), '--user', 'a', '--password', 'b'], {})).toThrow(OptionError);
});

describe('options that are wrong are told', () => {
  it('in a password, and what it says is not', () => {
    const config = fileWith({
      servers: [{ ...server, user: 'a', password: 's3cret\n' }],
      node: 'http://n',
      state: '/s',
    });
    expect(() => readOptions(['--config', config], {})).toThrow(/^(?!.*s3cret)password is up to 128 characters/);
  });

  it('in a file of authorities whose certificate cannot be read', () => {
    const ca = fileWith('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    expect(() => readOptions(args({ ca }), {})).toThrow(OptionError);
  });

  it.each([
    [{ server: 'https://me:secret@till.example/' }, 'server must not hold a user name or password'],
    [{ server: 'ftp://till.example/' }, 'server must be http:// or https://'],
    [{ server: undefined }, 'server is needed'],
    [{ node: undefined }, 'node is needed'],
    [{ state: undefined }, 'state is needed'],
    [{ protocol: 'ipp' }, 'protocol is sdp or cloudprnt'],
    [{ every: '0' }, 'every is 1 to 3600 seconds'],
    [{ every: '1e3' }, 'every is 1 to 3600 seconds'],
    [{ stale: '-1' }, 'stale'],
    [{ id: 'ü' }, 'id is 1 to 64 printable ASCII characters'],
    [{ ca: '/nowhere' }, 'ca: '],
    [{ protocol: 'cloudprnt', mac: '00:11:62:0:0:1' }, 'mac is six pairs of hexadecimal digits'],
    [{ mac: '00:11:62:00:00:01' }, 'mac is for cloudprnt alone'],
    [{ verify: 'no' }, 'verify'],
  ])('%j', (change, words) => {
    expect(() => readOptions(args(change), {})).toThrow(words);
    expect(() => readOptions(args(change), {})).toThrow(OptionError);
  });

  it('in one that is there twice', () => {
    expect(() => readOptions([...args(), '--server', 'http://b.example/'], {})).toThrow('--server is there twice');
  });

  it.each(['a\n', 'ä', 'k'.repeat(129)])('in a key that is none: %j', (key) => {
    expect(() => readOptions(args(), { TILLNODE_API_KEY: key })).toThrow('key is up to 128 printable ASCII characters');
  });

  it.each([
    ['{"node": "http://n",\n "key": "k0123456789abcdef",, "state": "/s"}', 'line 2: is no JSON'],
    ['{"key": k0123456789abcdef}', "is no JSON: Unexpected token 'k'"],
    ['{"key": "k0123456789abcdef', 'line 1: is no JSON'],
  ])('in a file that is no JSON, and what it says is not: %j', (content, words) => {
    const read = () => readOptions(['--config', fileWith(content)], {});
    expect(read).toThrow(words);
    expect(read).not.toThrow(/k?0123/);
  });

  it.each([
    ['{', 'JSON'],
    [{ servers: [] }, 'servers is to be a list'],
    [{ servers: [{ ...server, drawer: true }] }, '"drawer" is not known here'],
    [{ servers: [{ ...server, allowDrawer: 'yes' }] }, 'allowDrawer is true or false'],
    [{ servers: [{ ...server, name: '../x' }] }, 'name is 1 to 32 letters'],
    [{ servers: [{ ...server, user: 'a:b', password: 'c' }] }, 'user is 1 to 128 characters, none of them a colon'],
    [{ servers: [{ ...server, user: 'a' }] }, 'password is up to 128 characters'],
    [{ servers: [{ ...server, password: 'c' }] }, 'user is 1 to 128 characters'],
    [
      {
        servers: [
          { ...server, name: 'a' },
          { ...server, name: 'a' },
        ],
        node: 'http://n',
        state: '/s',
      },
      'two servers have one name',
    ],
    [
      { servers: [server, { ...server, endpoint: 'kitchen' }], node: 'http://n', state: '/s' },
      'server-2: another one has its server, protocol and id',
    ],
  ])('in a file: %j', (content, words) => {
    expect(() => readOptions(['--config', fileWith(content)], {})).toThrow(words);
  });
});

it.each([
  ['https://a.example/', { HTTPS_PROXY: 'http://p:3128' }, 'p:3128'],
  ['https://a.example/', { https_proxy: 'p:3128' }, 'p:3128'],
  ['http://a.example/', { HTTPS_PROXY: 'http://p:3128' }, undefined],
  ['http://a.example/', { http_proxy: 'http://p:8' }, 'p:8'],
  ['https://a.example/', { HTTPS_PROXY: 'http://p:8', NO_PROXY: 'b.example, .example' }, undefined],
  ['https://a.example/', { HTTPS_PROXY: 'http://p:8', NO_PROXY: 'example:444' }, 'p:8'],
  ['https://a.example/', { HTTPS_PROXY: 'http://p:8', NO_PROXY: '*' }, undefined],
  ['https://aexample/', { HTTPS_PROXY: 'http://p:8', NO_PROXY: 'example' }, 'p:8'],
])('a request to %s with %j goes through %s', (url, environment, proxy) => {
  expect(proxyFor(new URL(url), environment)?.host).toBe(proxy);
});

it.each([
  ['of another kind', 'socks5://p:1', 'http:// URL'],
  ['with a password that is not encoded', 'http://me:top%secret@p:1', 'is to be %25'],
])('a proxy %s is refused', (_, proxy, words) => {
  const asked = () => proxyFor(new URL('https://a.example/'), { HTTPS_PROXY: proxy });
  expect(asked).toThrow(words);
  expect(asked).not.toThrow('secret');
});

it('a proxy that is not there is told at once', async () => {
  const outbound = new Outbound({ refuses: () => false, proxied: throughProxy({ HTTPS_PROXY: 'http://127.0.0.1:1' }) });
  onTestFinished(() => outbound.close());
  const asked = outbound.read('GET', { url: 'https://a.example/', headers: {}, deadlineMs: 60_000 }, 10);
  await expect(asked).rejects.toThrow('ECONNREFUSED 127.0.0.1:1');
});
