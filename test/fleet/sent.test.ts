/** Images that are sent: the bytes of a range, in parts with time between them. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Sending } from '../../runtime/fleet/firmware/sent.ts';
import { folder } from './fleet.ts';

const KIB = 1024;
/** Before each part but the first; a timer may be a millisecond early. */
const LEAST_MS = 9;

it.each([
  ['all of it', 0, 300 * KIB + 7, 5],
  ['a range that begins and ends in the middle of a piece', 100 * KIB, 290 * KIB, 4],
  ['a byte', 5, 5, 1],
])(
  'an image of which a client asks for %s comes in parts of 64 KiB at most, no faster than a line takes them',
  async (_what, first, last, least) => {
    const image = randomBytes(300 * KIB + 8);
    const path = join(folder(), 'image');
    writeFileSync(path, image);
    const parts: Uint8Array[] = [];
    const times: number[] = [];
    for await (const part of new Sending().read(path, { first, last })) {
      parts.push(part);
      times.push(performance.now());
    }
    expect(Buffer.concat(parts).equals(image.subarray(first, last + 1))).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(64 * KIB);
    expect(parts.length).toBeGreaterThanOrEqual(least);
    for (const [at, time] of times.slice(1).entries()) expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(LEAST_MS);
  },
);
