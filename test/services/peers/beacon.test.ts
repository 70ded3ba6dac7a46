import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseBeacon } from '../../../runtime/services/peers/beacon.ts';
import type { NodeBeacon } from '../../../runtime/services/peers/contract.ts';
import { until } from '../../node.ts';
import { freePort } from '../../ports.ts';
import { beaconOf, bound, isBeacon, LOOPBACK, send, startBeacon } from './air.ts';

const A = '0000000a';
const B = '0000000b';
const C = '0000000c';

it('a node lists who was heard, by the address the beacon came from', async () => {
  const port = await freePort();
  const beacon = await startBeacon({ port, id: A });
  await send(port, '127.0.0.20', JSON.stringify(beaconOf(B, { name: 'Bar “left”' })));
  await send(port, '127.0.0.3', JSON.stringify(beaconOf(C, { name: '', httpPort: 8080 })));
  await until(() => beacon.peers().length === 2);
  const rest = { variant: 'wifi', firmwareVersion: '1.2.3', ageMs: expect.any(Number) };
  expect(beacon.peers()).toEqual([
    { id: C, name: '', address: '127.0.0.3', httpPort: 8080, ...rest },
    { id: B, name: 'Bar “left”', address: '127.0.0.20', httpPort: 80, ...rest },
  ]);
});

it('two nodes find each other, and neither lists itself', async () => {
  const port = await freePort();
  const a = await startBeacon({ port, id: A });
  const b = await startBeacon({ port, id: B, intervalMs: 20 });
  await until(() => a.peers().length > 0);
  expect(a.peers().map(({ id }) => id)).toEqual([B]);
  await a.stop();
  await startBeacon({ port, id: A, intervalMs: 20 });
  await until(() => b.peers().length > 0);
  expect(b.peers().map(({ id }) => id)).toEqual([A]);
});

it('a node forgets a node that says nothing any more', async () => {
  const port = await freePort();
  const a = await startBeacon({ port, id: A, ttlMs: 150 });
  const b = await startBeacon({ port, id: B, intervalMs: 20 });
  await until(() => a.peers().length === 1);
  await b.stop();
  await until(() => a.peers().length === 0);
});

it('a node sends a beacon at once and then every 5 seconds, once to each network that is there now', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const port = await freePort();
  const heard: string[] = [];
  (await bound(port)).on('message', (datagram) => heard.push((JSON.parse(datagram.toString()) as NodeBeacon).name));
  let beats = 0;
  const announce = () => {
    beats += 1;
    return beaconOf(A, { name: `${beats}` });
  };
  let links: readonly (typeof LOOPBACK)[] = [LOOPBACK];
  await startBeacon({ port, id: A, links: () => links, announce });
  vi.advanceTimersByTime(4999);
  expect(beats).toBe(1);
  vi.advanceTimersByTime(1);
  expect(beats).toBe(2);
  links = [];
  vi.advanceTimersByTime(10_000);
  links = [LOOPBACK, LOOPBACK];
  vi.advanceTimersByTime(10_000);
  await until(() => heard.includes('6'));
  expect(heard).toEqual(['1', '2', '5', '6']);
});

it('a node says nothing as long as it does not know its own port', async () => {
  const port = await freePort();
  const listener = await bound(port);
  let announced: NodeBeacon | undefined;
  await startBeacon({ port, id: A, intervalMs: 5, announce: () => announced });
  announced = beaconOf(A);
  const [first] = (await once(listener, 'message')) as [Buffer];
  expect(JSON.parse(first.toString())).toEqual(announced);
});

it('a beacon is 512 bytes at most, and understood, whatever the values', async () => {
  const port = await freePort();
  const longest = { variant: 'v'.repeat(32), firmwareVersion: '9'.repeat(64), httpPort: 65535 };
  for (const name of ['"'.repeat(63), '\\'.repeat(63), '€'.repeat(21), '\u00a0'.repeat(31)]) {
    const beacon = beaconOf(B, { ...longest, name });
    expect(isBeacon(beacon)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(beacon))).toBeLessThanOrEqual(512);
  }
  const a = await startBeacon({ port, id: A });
  await startBeacon({ port, id: B, announce: () => beaconOf(B, { ...longest, name: '"'.repeat(63) }) });
  await until(() => a.peers().length === 1);
  expect(a.peers()[0]?.name).toBe('"'.repeat(63));
});

const json = (change: object) => JSON.stringify({ ...beaconOf(B), ...change });
const without = (field: keyof NodeBeacon) => JSON.stringify({ ...beaconOf(B), [field]: undefined });

const HOSTILE: Record<string, string | Uint8Array> = {
  'no bytes': '',
  'one byte': '{',
  'a beacon cut short': json({}).slice(0, -1),
  'a beacon and a byte': `${json({})}x`,
  'a beacon padded to 513 bytes': json({}).padEnd(513),
  'a datagram of 60 kB': json({}).padEnd(60_000),
  'a name of 64 bytes': json({ name: 'x'.repeat(64) }),
  'a name of 22 euro signs': json({ name: '€'.repeat(22) }),
  'a line break in the name': json({ name: 'a\nb' }),
  'an escape sequence in the name': json({ name: '\u001b[2J' }),
  'a line separator in the name': json({ name: 'a\u2028b' }),
  'a name that turns the text around': json({ name: 'a\u202eb' }),
  'half a surrogate pair': json({}).replace('Till', '\\ud800'),
  'bytes that are not UTF-8': Buffer.from(json({ name: 'caf\u00e9' }), 'latin1'),
  'UTF-16': Buffer.from(json({}), 'utf16le'),
  'a byte order mark': `\ufeff${json({})}`,
  'an extra field': json({ extra: 1 }),
  'a prototype': json({}).replace('{', '{"__proto__":{},'),
  'another type': json({ type: 'scan_read' }),
  'no type': without('type'),
  'no id': without('id'),
  'no port': without('httpPort'),
  'an id in upper case': json({ id: '0000000B' }),
  'an id of nine digits': json({ id: '0000000bb' }),
  'a number for a name': json({ name: 5 }),
  'null for a name': json({ name: null }),
  'an object for a name': json({ name: { toString: 'x' } }),
  'markup for a variant': json({ variant: '<b>' }),
  'an endless version': json({ firmwareVersion: '1'.repeat(65) }),
  'port 0': json({ httpPort: 0 }),
  'port 65536': json({ httpPort: 65536 }),
  'half a port': json({ httpPort: 80.5 }),
  'a port in words': json({ httpPort: '80' }),
  'a list': JSON.stringify([beaconOf(B)]),
  'a string': JSON.stringify(json({})),
  null: 'null',
  'deep nesting': '['.repeat(512),
  'the id of the node itself': json({ id: A }),
};

it('a node ignores every hostile datagram, and answers none', async () => {
  const port = await freePort();
  const beacon = await startBeacon({ port, id: A });
  const answers: string[] = [];
  let host = 0;
  for (const [what, datagram] of Object.entries(HOSTILE)) {
    host += 1;
    const socket = await send(port, `127.0.1.${host}`, datagram);
    socket.on('message', () => answers.push(what));
  }
  const good = await send(port, '127.0.2.1', json({}));
  good.on('message', () => answers.push('a beacon'));
  await until(() => beacon.peers().length > 0);
  expect(beacon.peers().map(({ address }) => address)).toEqual(['127.0.2.1']);
  // What an answer would have been sent before: the socket's queue is in order.
  await send(port, '127.0.2.2', json({ id: C }));
  await until(() => beacon.peers().length === 2);
  expect(answers).toEqual([]);
});

it('a node ignores beacons from addresses that are on no link of its own', async () => {
  const port = await freePort();
  const narrow = { ...LOOPBACK, addresses: [{ ...LOOPBACK.addresses[0], prefix: 24 }] };
  const beacon = await startBeacon({ port, id: A, links: () => [narrow] });
  await send(port, '127.0.1.0', json({}));
  await send(port, '127.1.0.1', json({}));
  await send(port, '127.0.0.255', json({ id: C }));
  await until(() => beacon.peers().length > 0);
  expect(beacon.peers().map(({ id }) => id)).toEqual([C]);
});

it('a node goes without beacons where another program has the port for itself', async () => {
  const taken = createSocket('udp4').bind(0);
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const warned: object[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => warned.push(fields) };
  const { port } = taken.address();
  const beacon = await startBeacon({ port, id: A, log });
  expect(beacon.peers()).toEqual([]);
  expect(warned).toEqual([{ port, error: expect.stringContaining('EADDRINUSE') }]);
});

/** Beacons with one thing wrong, or right after all, and bytes that are none. */
const datagrams = fc.oneof(
  fc.uint8Array({ maxLength: 512 }).map((bytes) => Buffer.from(bytes)),
  fc
    .record({
      field: fc.constantFrom('type', 'id', 'name', 'variant', 'firmwareVersion', 'httpPort', 'extra', '__proto__'),
      value: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.integer(), fc.constant(undefined)),
      cut: fc.option(fc.nat(512)),
      flip: fc.option(fc.nat(512)),
    })
    .map(({ field, value, cut, flip }) => {
      const bytes = Buffer.from(JSON.stringify(Object.fromEntries([...Object.entries(beaconOf(B)), [field, value]])));
      if (flip !== null) bytes.writeUInt8(bytes.readUInt8(flip % bytes.length) ^ 0x20, flip % bytes.length);
      return bytes.subarray(0, cut ?? bytes.length);
    }),
);

/** What a list may show, said once more without the schema. */
const isSane = ({ id, name, variant, firmwareVersion, httpPort, ...rest }: Omit<NodeBeacon, 'type'>) =>
  /^[0-9a-f]{8}$/.test(id) &&
  Buffer.byteLength(name) <= 63 &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  !/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(name) &&
  Buffer.from(name).toString() === name &&
  /^[\w-]{1,32}$/.test(variant) &&
  /^[\w.+-]{1,64}$/.test(firmwareVersion) &&
  Number.isInteger(httpPort) &&
  httpPort > 0 &&
  httpPort < 65536 &&
  Object.keys(rest).length === 0;

it('a node reads anything as a beacon or as nothing', () => {
  let read = 0;
  fc.assert(
    fc.property(datagrams, (bytes) => {
      const beacon = parseBeacon(bytes, isBeacon);
      if (beacon === undefined) return true;
      read += 1;
      const { type, ...said } = beacon;
      return type === 'node_beacon' && isSane(said);
    }),
    { numRuns: 20_000 },
  );
  expect(read).toBeGreaterThan(0);
});

it('a node lists nothing but what a node can say, whatever arrives', async () => {
  const port = await freePort();
  const beacon = await startBeacon({ port, id: A });
  for (const [index, datagram] of fc.sample(datagrams, 200).entries()) {
    await send(port, `127.9.0.${index + 1}`, datagram);
  }
  await send(port, '127.8.0.1', json({ id: C }));
  await until(() => beacon.peers().some(({ id }) => id === C));
  for (const { address, ageMs, ...said } of beacon.peers()) {
    expect(said).toSatisfy(isSane);
    expect(address).toMatch(/^127\.[89]\.0\.\d+$/);
    expect(ageMs).toBeGreaterThanOrEqual(0);
  }
});
