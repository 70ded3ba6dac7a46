/** A process killed at any moment: what it acknowledged is there when the next one starts. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { run, type Scratch, scratch } from './harness.ts';

const KILLS = Number(process.env['KILLS'] ?? 80);
const CONTROL_KILLS = 40;
const LANES = 2;

let place: Scratch;
let writer: string;
beforeAll(async () => {
  place = await scratch();
  writer = await place.bundle('writer');
});
afterAll(() => place.remove());

interface Tally {
  kills: number;
  acknowledged: number;
  /** A start that found neither the last acknowledged value nor the one being written then. */
  readonly lost: string[];
}

/** Starts the writer over and over on one directory; it is killed 0 to 12 ms after its first acknowledged value. */
async function killOverAndOver(kind: string, lane: number, kills: number): Promise<Tally> {
  const directory = join(place.directory, `${kind}-${lane}`);
  await mkdir(directory);
  const random = randomFrom(0x5e771 + lane);
  const tally: Tally = { kills: 0, acknowledged: 0, lost: [] };
  let last = 0;
  for (; tally.kills < kills; tally.kills++) {
    let armed = false;
    const { lines, stderr, signal } = await run([process.execPath, writer, directory, kind], {
      heard: (line, child) => {
        if (armed || !line.startsWith('ack')) return;
        armed = true;
        setTimeout(() => child.kill('SIGKILL'), random() * 12);
      },
    });
    const found = /^open (\d+)$/.exec(lines[0] ?? '')?.[1];
    if (signal !== 'SIGKILL' || found === undefined || (Number(found) !== last && Number(found) !== last + 1)) {
      tally.lost.push(`acknowledged ${last}, found ${lines[0] ?? 'nothing'} ${stderr}`);
      if (found === undefined) break;
    }
    tally.acknowledged += lines.length - 1;
    last = Number(/^ack (\d+)$/.exec(lines.at(-1) ?? '')?.[1] ?? found);
  }
  return tally;
}

describe('kill -9', () => {
  it(`loses nothing acknowledged in ${KILLS} kills`, async () => {
    const lanes = Array.from({ length: LANES }, (_, lane) => killOverAndOver('durable', lane, KILLS / LANES));
    const tallies = await Promise.all(lanes);
    expect(tallies.flatMap(({ lost }) => lost)).toEqual([]);
    expect(tallies.reduce((sum, { kills }) => sum + kills, 0)).toBe(KILLS);
    expect(tallies.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(KILLS);
  });

  it(`finds out a store that writes in place within ${CONTROL_KILLS} kills`, async () => {
    const { lost } = await killOverAndOver('in-place', 0, CONTROL_KILLS);
    expect(lost).not.toEqual([]);
  });
});
