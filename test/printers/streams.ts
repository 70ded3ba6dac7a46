/** Hostile streams: commands in and out of every range, payloads that hide commands, macros, characters that are cut off. */
import fc from 'fast-check';
import { hex } from './bytes.ts';

const bytes = (...list: readonly string[]) => fc.constantFrom(...list.map(hex));
const joined = (parts: fc.Arbitrary<readonly Uint8Array[]>) => parts.map((list) => Buffer.concat(list));
/** Bytes that mean something somewhere, far more often than chance has it. */
const charged = fc.constantFrom(
  ...hex(
    '00 01 02 03 04 05 07 08 09 0a 0c 10 14 18 1b 1c 1d 1f 20 21 26 2a 30 31 3a 3d 40 41 45 49 50 5a 5e 61 70 76 7f 81 c3 e3 f0 ff',
  ),
);
const charge = (size: number) =>
  fc.array(charged, { minLength: size, maxLength: size }).map((list) => Buffer.from(list));

const words = bytes(
  '41',
  '0a',
  '544f54414c20352e30300a',
  '81',
  '8130',
  'c3',
  'e282',
  'f041',
  '8140',
  '00',
  '0d',
  '09',
  '18',
);
/** What opens a drawer, whole and in pieces. */
const triggers = bytes(
  ...['1b700019fa', '1b703019fa', '1014010001', '1014010108', '1014020108', '10140801031401060208', '07'],
  ...[
    '1f1b1ffc01020333',
    'fc01020344',
    '1f1b1f',
    '1f1b',
    '1ffc01020333',
    '1df93500',
    '1df9',
    'f93500',
    'f92000',
    '3500',
  ],
  ...['1b', '700019fa', '1b70', '70', '10', '14010001', '1014', '010001', '1b00', '1014 03', '1b1b', '1010'],
);
/** What takes the byte, or the bytes, behind it. */
const eaters = bytes(
  '1b21',
  '1b2d',
  '1d21',
  '1d68',
  '1b24',
  '1d4c',
  '1b44',
  '1b5a',
  '1b5d',
  '1d70',
  '1f',
  '1c',
  '1d',
  '1b99',
  '1004',
  '100407',
  '100412',
  '1d5e',
  '1d3a1b',
  '1b2e',
  '1c21',
);
const named = fc.tuple(
  bytes(
    '1b21',
    '1b24',
    '1b25',
    '1b2d',
    '1b33',
    '1b3d',
    '1b3f',
    '1b40',
    '1b44',
    '1b4a',
    '1b4c',
    '1b4d',
    '1b53',
    '1b57',
    '1b5c',
    '1b61',
    '1b63',
    '1b64',
    '1b72',
    '1b74',
    '1c26',
    '1c2e',
    '1c43',
    '1c70',
    '1d21',
    '1d2f',
    '1d42',
    '1d49',
    '1d4c',
    '1d50',
    '1d56',
    '1d61',
    '1d66',
    '1d72',
    '1d77',
    '1d7a30',
    '1d5e',
    '1d3a',
    '1005',
    '1d2844030014',
    '1014',
  ),
  fc.nat(4).chain(charge),
);
const statuses = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 18, 0x1b, 0x10), fc.array(charged, { maxLength: 1 }))
  .map(([n, a]) => Buffer.from([0x10, 0x04, n, ...a]));

const leaf = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 4, arbitrary: triggers },
  { weight: 3, arbitrary: eaters },
  { weight: 3, arbitrary: joined(named) },
  { weight: 1, arbitrary: statuses },
  { weight: 1, arbitrary: fc.nat(6).chain(charge) },
);
const hidden = joined(fc.array(leaf, { maxLength: 4 }));

const u16 = (value: number) => [value & 0xff, (value >> 8) & 0xff];
/** Headers that say how much follows, by how much does; a little is missing at times, or too much is there. */
const HEADERS: ReadonlyArray<(length: number) => readonly number[]> = [
  (length) => [0x1d, 0x76, 0x30, 0, ...u16(length), 1, 0],
  (length) => [0x1d, 0x76, 0x30, 0, 1, 0, ...u16(length)],
  (length) => [0x1d, 0x76, 0x30, 9, ...u16(length), 1, 0],
  (length) => [0x1b, 0x2a, 0, ...u16(length)],
  (length) => [0x1b, 0x2a, 33, ...u16(Math.ceil(length / 3))],
  (length) => [0x1b, 0x2a, 5, ...u16(length)],
  (length) => [0x1b, 0x26, 3, 0x41, 0x41, Math.ceil(length / 3)],
  (length) => [0x1b, 0x26, 2, 0x41, 0x41, Math.ceil(length / 2)],
  (length) => [0x1b, 0x26, 1, 0x41, 0x41, length],
  (length) => [0x1c, 0x71, 1, 1, 0, ...u16(Math.ceil(length / 8))],
  (length) => [0x1c, 0x67, 0x31, 0, 0, 0, 0, 0, ...u16(length)],
  (length) => [0x1d, 0x2a, 1, Math.ceil(length / 8)],
  (length) => [0x1d, 0x6b, 73, length],
  (length) => [0x1d, 0x6b, 4 + (length & 1)],
  (length) => [0x1d, 0x28, 0x4c, ...u16(length)],
  (length) => [0x1d, 0x28, 0x6b, ...u16(length)],
  (length) => [0x1d, 0x28, 0x44, ...u16(length)],
  (length) => [0x1d, 0x28, 0x58, ...u16(length)],
  (length) => [0x1d, 0x38, 0x4c, ...u16(length), 0, 0],
  (length) => [0x1b, 0x28, 0x41, ...u16(length)],
  (length) => [0x1b, 0x5a, 5, 3, 3, ...u16(length)],
  (length) => [0x1b, 0x58, ...u16(length)],
  (length) => [0x1c, 0x28, 0x45, ...u16(length)],
  (length) => [0x1d, 0x51, 0x30, 0, ...u16(length), 1, 0],
  () => [0x1c, 0x32, 0x77, 0x21],
];
/** A payload as long as its header says, give or take; a few are out of the ranges of a strict printer. */
const payloads = fc
  .tuple(
    fc.constantFrom(...HEADERS),
    hidden,
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom(20, 64, 256) },
    ),
    fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 260, 1025),
  )
  .map(([header, content, off, padding]) =>
    Buffer.concat([
      Buffer.from(header(Math.max(0, content.length + off + padding)).map((byte) => byte & 0xff)),
      content,
      Buffer.alloc(padding, 0x2e),
    ]),
  );

const macros = fc
  .tuple(
    hidden,
    fc.constantFrom(0, 0, 0, 0, 0, 2040, 2047, 2048),
    hidden,
    fc.constantFrom('1d3a', '811d3a', '1b1d3a', '1d3a1d3a', ''),
    fc.constantFrom('1d5e010000', '1d5e020000', '1d5e030001', '1d5e1b7000', ''),
  )
  .map(([head, filler, tail, mark, run]) =>
    Buffer.concat([
      hex('1d3a'),
      head,
      Buffer.alloc(filler && Math.max(0, filler - head.length), 'x'),
      tail,
      hex(mark),
      hex(run),
    ]),
  );

const stream = joined(
  fc.array(
    fc.oneof({ weight: 6, arbitrary: leaf }, { weight: 3, arbitrary: payloads }, { weight: 1, arbitrary: macros }),
    { minLength: 1, maxLength: 8 },
  ),
);

export type Ending = 'in order' | 'aborted' | 'left open';
/** What a client sends on one connection, in which segments, and how it leaves. */
export interface Client {
  readonly segments: readonly Uint8Array[];
  readonly ending: Ending;
}
export type Between = 'nothing' | 'kick' | 'print' | 'raw' | 'idle' | 'replug' | 'power cycle' | 'status';
export interface Step {
  readonly client: Client;
  readonly before: Between;
  readonly raw: Uint8Array;
}

const cut = (whole: Buffer, at: readonly number[]): Buffer[] => {
  const ends = [...new Set(at.map((part) => Math.floor((part * whole.length) / 1000)))].sort((a, b) => a - b);
  return [0, ...ends]
    .map((from, index) => whole.subarray(from, ends[index] ?? whole.length))
    .filter(({ length }) => length > 0);
};
const clientOf = (streams: fc.Arbitrary<Buffer>) =>
  fc.record({
    segments: fc.tuple(streams, fc.array(fc.nat(999), { maxLength: 3 })).map(([whole, at]) => cut(whole, at)),
    ending: fc.constantFrom<Ending>(
      ...(['in order', 'in order', 'in order', 'in order', 'in order', 'aborted', 'left open'] as const),
    ),
  });
const between = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Between>('nothing') },
  { weight: 4, arbitrary: fc.constantFrom<Between>('kick', 'print', 'raw', 'status') },
  { weight: 1, arbitrary: fc.constantFrom<Between>('idle', 'replug', 'power cycle') },
);
/** Raw bytes of the API: a pulse, and what is left open behind it. */
const rawBytes = bytes(
  '1b700055aa',
  '41',
  '1d3a',
  '1b',
  '10',
  '1b21',
  '1d76300005000100',
  '81',
  '1d3a41',
  '1b700055aa1d384cff000000',
);

const stepsOf = (client: fc.Arbitrary<Client>, before: fc.Arbitrary<Between>, streams: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ client, before, raw: rawBytes }), { minLength: 1, maxLength: 2 * streams, size: 'max' });

/** Nothing but macro marks that some printers see and others do not, runs, and kicks between them. */
const marks = bytes(
  ...['1d3a', '1d3a', '1d3a', '811d3a', '1b1d3a', '1b211d3a', 'f01d3a', '1d763000020001001d3a', '1b26024141011d3a'],
  ...['1d5e010000', '1d5e010000', '1d5e020000', '811d5e010000', '41', '1b', '70', '700019fa', '81', '10', '14010001'],
);
const kicks = fc.constantFrom<Between>('nothing', 'nothing', 'nothing', 'kick', 'kick', 'raw', 'idle', 'replug');

/** Streams one after the other, each on a connection of its own; as many as this on average. */
export const shift = (streams: number): fc.Arbitrary<Step[]> =>
  fc.noBias(
    fc.oneof(
      { weight: 5, arbitrary: stepsOf(clientOf(stream), between, streams) },
      {
        weight: 1,
        arbitrary: stepsOf(clientOf(joined(fc.array(marks, { minLength: 1, maxLength: 5 }))), kicks, streams),
      },
    ),
  );

export const show = (steps: readonly Step[]): string =>
  steps
    .map(({ client: { segments, ending }, before, raw }) => {
      const what =
        before === 'raw' ? `raw ${Buffer.from(raw).toString('hex')}, ` : before === 'nothing' ? '' : `${before}, `;
      return `  ${what}job ${segments.map((part) => Buffer.from(part).toString('hex')).join(' | ')} (${ending})`;
    })
    .join('\n');
