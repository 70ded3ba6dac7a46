/**
 * The trail by itself: real-time commands in every place of a sequence that does harm, whole, cut and one inside the other. What
 * it lets through goes to every model, and none may see the sequence.
 */
import { describe, expect, it } from 'vitest';
import { Trail } from '../../codecs/escpos-trail.ts';
import { hex } from './bytes.ts';
import { kickTimes, Witness } from './witness.ts';

/** What a printer may take out of the stream before it reads the rest (see stripping.ts), whole and broken off. */
const REAL_TIME = [
  ...['100401', '10040701', '10041201', '100502', '10140302030405ff', '10140701', '1d0401', '1d0302', '1d05'],
  ...['10', '1041', '1014', '101441', '1004'],
].map(hex);
const HARMFUL: ReadonlyArray<readonly [string, Buffer]> = [
  ['ESC p', hex('1b70 00 19 fa')],
  ['DLE DC4 1', hex('1014 01 00 01')],
  ['DLE DC4 2', hex('1014 02 01 08')],
  ['DLE DC4 8', hex('1014 08 01 03 14 01 06 02 08')],
];
const RUN = hex('1d5e 01 00 00');
const MACRO = hex('1d3a');
const KICK = Uint8Array.of(0x1b, 0x70, 0, ...kickTimes(0));

/** The stream with each real-time command in each place before its last one. */
function* spliced(stream: Uint8Array, places: number): Generator<Buffer> {
  for (let at = 1; at <= places; at += 1)
    for (const command of REAL_TIME) yield Buffer.concat([stream.subarray(0, at), command, stream.subarray(at)]);
}
/** The stream with one real-time command, and with one more in each place of that. */
function* splices(stream: Uint8Array): Generator<Buffer> {
  const harmful = 2 + Number(stream[0] === 0x10);
  yield Buffer.from(stream);
  for (const once of spliced(stream, harmful - 1)) {
    yield once;
    yield* spliced(once, harmful - 1 + once.length - stream.length);
  }
}

/** What the models did with these streams, each behind a power-up, as the trail lets them through or, unguarded, as they are. */
function openings(streams: Iterable<Buffer>, guarding: boolean, begin = (_: Trail, __: Witness): void => {}) {
  const witness = new Witness();
  const seen: string[] = [];
  let count = 0;
  for (const stream of streams) {
    count += 1;
    const trail = new Trail();
    witness.powerCycle();
    begin(trail, witness);
    const sent = Buffer.from(stream);
    if (guarding) trail.guard(sent);
    else trail.follow(sent);
    witness.take(sent);
    for (const { model, what } of witness.opened()) seen.push(`${stream.toString('hex')}: ${what} of ${model}`);
  }
  return { seen, count };
}
/** The printer has a macro with a kick of the API in it. */
const withMacro = (trail: Trail, witness: Witness) => {
  for (const bytes of [MACRO, KICK, MACRO]) {
    trail.follow(bytes);
    if (bytes === KICK) witness.authorise(bytes);
    witness.take(bytes);
  }
};

describe('no printer sees, whatever real-time commands stand in it,', () => {
  it.each(HARMFUL)('%s', (_, stream) => {
    const { seen, count } = openings(splices(stream), true);
    expect(seen).toEqual([]);
    expect(openings(splices(stream), false).seen.length).toBeGreaterThan(count / 10);
  });

  it('GS ^, where a macro holds a kick of the API', () => {
    const { seen, count } = openings(splices(RUN), true, withMacro);
    expect(seen).toEqual([]);
    expect(openings(splices(RUN), false, withMacro).seen.length).toBeGreaterThan(count / 10);
  });
});
