/** Whatever comes in on port 5353: no exception, no endless loop, and the responder still answers (RFC 6762, 18). */
import dnsPacket from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from '../../../runtime/services/discovery/budget.ts';
import { decode, encodeProbe, encodeResponses } from '../../../runtime/services/discovery/packet.ts';
import { hostZone, serviceZone } from '../../../runtime/services/discovery/records.ts';
import { find, HOST, HTTP, IDENTITY, LAN, PEER, settled, wait } from './responder.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 3008);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 5000);

const header = (flags: number, ...counts: number[]) => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(flags, 2);
  for (const [index, count] of counts.entries()) bytes.writeUInt16BE(count, 4 + 2 * index);
  return bytes;
};
const label = Buffer.from('\x05_http\x04_tcp\x05local\0', 'latin1');
const zone = [...hostZone(HOST, LAN), ...serviceZone({ ...IDENTITY.offers[0]!, name: HTTP }, HOST)];
/** Messages that mean something, to be bent. */
const seeds = [
  ...encodeResponses(zone, zone),
  encodeProbe(HTTP, zone),
  dnsPacket.encode({ type: 'query', questions: [{ name: HTTP, type: 'SRV' }], answers: zone }),
];
const bent = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2, 0x0c, 0x3f, 0x40, 0x80, 0xc0, 0xff)), { maxLength: 6 }),
    fc.nat(),
    fc.boolean(),
  )
  .map(([bytes, changes, length, cut]) => {
    const copy = Buffer.from(cut ? bytes.subarray(0, length % bytes.length) : bytes);
    for (const [at, value] of changes) if (copy.length > 0) copy[at % copy.length] = value;
    return copy;
  });
const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([header(0, 1, 1, 1, 1), bytes]));

const hostile: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['half a header', Buffer.alloc(7)],
  ['counts of 65535', header(0, 65_535, 65_535, 65_535, 65_535)],
  ['counts that its length cannot hold', Buffer.concat([header(0, 0, 500), Buffer.alloc(100)])],
  ['a name that points to itself', Buffer.concat([header(0, 1), Buffer.from([0xc0, 0x0c, 0, 12, 0, 1])])],
  ['names that point to each other', Buffer.concat([header(0, 1), Buffer.from([0xc0, 0x0e, 0xc0, 0x0c, 0, 12, 0, 1])])],
  ['a name that points past the end', Buffer.concat([header(0, 1), Buffer.from([0xc3, 0xff, 0, 12, 0, 1])])],
  ['a label of 64 bytes', Buffer.concat([header(0, 1), Buffer.from([0x40]), Buffer.alloc(70, 0x61)])],
  ['a name of 300 bytes', Buffer.concat([header(0, 1), Buffer.alloc(300, '\x01a'), Buffer.from([0, 0, 12, 0, 1])])],
  ['a record cut short', Buffer.concat([header(0x8400, 0, 1), label, Buffer.from([0, 33, 0, 1, 0, 0, 0, 1, 0, 200])])],
  ['another opcode', Buffer.concat([header(0x2800, 1), label, Buffer.from([0, 12, 0, 1])])],
  ['a response code', Buffer.concat([header(0x0003, 1), label, Buffer.from([0, 12, 0, 1])])],
  ['9001 bytes', Buffer.concat([header(0, 1), label, Buffer.from([0, 12, 0, 1]), Buffer.alloc(8970)])],
  ['64 kilobytes', Buffer.concat([header(0, 1), label, Buffer.from([0, 12, 0, 1]), Buffer.alloc(64_000)])],
];

describe('what comes in', () => {
  it('is a message or is not, and nothing else', () => {
    const isBounded = fc.property(fc.oneof(bent, noise), (bytes) => {
      const { questions = [], answers = [], authorities = [], additionals = [] } = decode(bytes) ?? {};
      return [questions, answers, authorities, additionals].flat().length <= 512;
    });
    expect(() => fc.assert(isBounded, { seed, numRuns })).not.toThrow();
  });

  it('leaves the responder answering', async () => {
    const { wire } = await settled();
    for (const bytes of fc.sample(fc.oneof(bent, noise), { seed, numRuns: 900 })) {
      wire.hear(bytes, PEER);
      wire.hear(bytes, { ...PEER, port: 40_000 });
      await wait(3);
    }
    await wait(20_000);
    wire.take();
    wire.ask('_http._tcp.local', 'PTR');
    await wait(200);
    expect(find(wire.take(), 'PTR', '_http._tcp.local')).toBeDefined();
  });

  it.each(hostile)('that is %s is ignored', async (_what, bytes) => {
    expect(decode(bytes)).toBeUndefined();
    const { wire } = await settled();
    wire.hear(bytes, PEER);
    await wait(2000);
    expect(wire.take()).toEqual([]);
  });

  it('in a flood is looked at a thousand times a second of each source, and answered again in the next', async () => {
    const { wire } = await settled();
    for (let index = 0; index < 1000; index += 1) wire.hear(Buffer.alloc(12), PEER);
    wire.ask(HOST, 'A');
    await wait(1000);
    expect(wire.take()).toEqual([]);
    for (let index = 0; index < 1000; index += 1) wire.hear(Buffer.alloc(12), PEER);
    wire.ask(HOST, 'A', { from: { ...PEER, address: '192.0.2.10' } });
    await wait(11);
    expect(wire.take()).toHaveLength(1);
    await wait(1000);
    wire.ask(HOST, 'A');
    await wait(11);
    expect(wire.take()).toHaveLength(1);
  });

  it('in a flood from sources that change with each datagram is looked at a bounded number of times', async () => {
    const budget = new Budget();
    const sources = Array.from({ length: 100_000 }, (_, index) => `fe80::${index.toString(16)}%lan0`);
    expect(sources.filter((source) => budget.spend(source))).toHaveLength(512 + 1000);
  });

  it('in a flood from other networks costs those of its own nothing', async () => {
    const { wire } = await settled();
    for (let index = 0; index < 5000; index += 1) wire.hear(Buffer.alloc(12), { address: '203.0.113.9', port: 5353 });
    wire.ask(HOST, 'A', { from: { address: '192.0.2.9', port: 5353 } });
    await wait(11);
    expect(wire.take()).toHaveLength(1);
  });
});
