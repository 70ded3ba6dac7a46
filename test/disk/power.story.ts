/**
 * The plug of the disk image as it ships is pulled, at random moments of its life. One life is recorded; for each cut the
 * medium is made as it would have been left, and started. DISK_CUTS says how many, DISK_SEED where. The recording stays
 * for the next time, so that the same seed is the same cuts. And the power comes and goes before it stays.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { needRoot, needTools } from '../tools.ts';
import { BOOT_MS, type Life, live, momentIn, PHASES, phaseOf, wrong } from './life.ts';
import { CACHE, IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';
import { Recording } from './recording.ts';

const VARIANT = 'wifi';
const CUTS = Number(process.env['DISK_CUTS'] ?? 60);
const SEED = Number(process.env['DISK_SEED'] ?? 1);
/** Machines that run beside each other. */
const LANES = 2;
const NAME = 'power';
/** As often the power comes back for a moment before it stays. */
const FLICKERS = 5;
/** By the clock of the machine: each moment of a start may be the last, and none gets so far that a trial is good. */
const FLICKER_S = 15;
const BUILD_MS = 2_400_000;
const LIFE_MS = 7_200_000;

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, 'busybox']);

describe.skipIf(missing !== undefined)(missing ?? 'a disk whose plug is pulled', () => {
  let image = '';
  const recording = new Recording(join(CACHE, `${NAME}.log`));
  let life: Life;
  const tell = (line: string) => process.stdout.write(`${line}\n`);

  beforeAll(async () => {
    image = madeImage(VARIANT);
    const notes = join(CACHE, `${NAME}.json`);
    const of = createHash('sha256').update(readFileSync(image)).update(String(live)).digest('hex');
    const known = existsSync(notes)
      ? (JSON.parse(readFileSync(notes, 'utf8')) as { of: string; life: Life })
      : undefined;
    if (known?.of === of) {
      life = known.life;
    } else {
      rmSync(notes, { force: true });
      life = await live(image, recording);
      writeFileSync(notes, JSON.stringify({ of, life }));
    }
    tell(`seed ${SEED}; ${PHASES.map((phase) => `${phase} ${JSON.stringify(phaseOf(life, phase))}`).join(', ')}`);
  }, BUILD_MS + LIFE_MS);

  it(
    `starts, as it was, after each of ${CUTS} cuts (seed ${SEED})`,
    async () => {
      const random = randomFrom(SEED);
      const flushes = recording.flushes();
      const cuts = Array.from({ length: CUTS }, (_, at) => {
        const phase = PHASES[at % PHASES.length]!;
        return { name: `cut ${at + 1} in ${phase}`, moment: momentIn(phaseOf(life, phase), flushes, random), at };
      });
      const faults: string[] = [];
      const lane = async (name: string) => {
        for (let next = cuts.shift(); next !== undefined; next = cuts.shift()) {
          const medium = new Medium(name, image);
          const cut = recording.cut(medium, next.moment, randomFrom(SEED + next.at));
          const running = await Running.powerOn(medium);
          const found = await wrong(running, life, next.moment).catch((error: Error) => error.message);
          const about = `${next.name} at ${next.moment} ${JSON.stringify(cut)}, started ${running.starts} times`;
          tell(`${about}: ${found ?? 'as it was'}`);
          if (found !== undefined) faults.push(`${about}: ${found}`);
          await running.cut();
        }
      };
      await Promise.all(Array.from({ length: LANES }, (_, at) => lane(`${NAME}-${at}`)));
      expect(faults).toEqual([]);
    },
    CUTS * BOOT_MS,
  );

  it.each(['first start', 'update', 'trial'] as const)(
    `starts, as it was, after its power came ${FLICKERS} times and went within a start, before the %s`,
    async (phase) => {
      const random = randomFrom(SEED);
      const moment = phaseOf(life, phase).from;
      const medium = new Medium('flicker', image);
      recording.cut(medium, moment, random);
      const flicker = new Recording(join(CACHE, 'flicker.log'));
      for (let left = FLICKERS; left > 0; left -= 1) {
        medium.save();
        const running = await Running.powerOn(medium, { disk: flicker.start(medium) });
        const seconds = 1 + Math.floor(random() * FLICKER_S);
        while ((await running.seconds()) < seconds) await delay(200);
        await running.cut();
        medium.restore();
        tell(`${phase}: on for ${seconds} s, ${JSON.stringify(flicker.cut(medium, flicker.now, random))}`);
      }
      const running = await Running.powerOn(medium);
      const found = await wrong(running, life, moment, FLICKERS).finally(() => running.cut());
      expect(found).toBeUndefined();
    },
    (FLICKERS + 1) * BOOT_MS,
  );
});
