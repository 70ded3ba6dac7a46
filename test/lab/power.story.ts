/**
 * The power fails while a box takes an update: QEMU is killed at a random moment of a random phase, and the disk keeps
 * what was flushed and some of the rest. The box then comes up from that same disk, LAB_CUTS times in a row.
 * LAB_SEED says where. Long: `npm run lab` has it, `npm test` has not.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { type Cut, CuttableDisk, fault, makeDisk } from './disk.ts';
import { PHASES, type Phase, type PowerReport, SETTINGS, type Up } from './guest/power.ts';
import { prepareMachine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import { startMachine } from './vm.ts';

const CUTS = Number(process.env['LAB_CUTS'] ?? 50);
const SEED = Number(process.env['LAB_SEED'] ?? 1);
const LIFE_MS = 900_000;
/** A phase that is not known to be longer; the last one has no end. */
const PHASE_MS = 300;
const DISK_MEGABYTES = 64;

interface Life {
  /** What came up; undefined when nothing did. */
  readonly up: Up | undefined;
  /** The last phase that began before the cut. */
  readonly phase: Phase | undefined;
  /** What the box could not do. */
  readonly trouble: string | undefined;
  readonly lost: Cut;
  readonly fault: string | undefined;
}

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : undefined;

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'a box whose power is cut', () => {
  let program = '';
  let unsynced = '';
  beforeAll(async () => {
    [program = '', unsynced = ''] = await bundlePrograms(['power-main.ts', 'no-sync.ts']);
  });

  /** A box on a disk of its own. */
  function box(name: string, random: () => number, env: Readonly<Record<string, string>> = {}) {
    const disk = new CuttableDisk(makeDisk(name, { megabytes: DISK_MEGABYTES }));
    const lengths = new Map<Phase, number>();
    let isNew = true;
    return {
      /** Boots it, has it take the update to `version`, and cuts its power in the phase. */
      async live(version: string, target: Phase): Promise<Life> {
        if ('missing' in machine) throw new Error(machine.missing);
        let up: Up | undefined;
        let trouble: string | undefined;
        let phase: Phase | undefined;
        let began = 0;
        const moment = random();
        const running = startMachine(machine, {
          name,
          program,
          timeoutMs: LIFE_MS,
          disk: disk.powerOn(),
          env: { LAB_VERSION: version, ...(isNew && { LAB_NEW: 'yes' }), ...env },
          onReport: (report) => {
            const said = report as PowerReport;
            if ('up' in said) up = said.up;
            if ('trouble' in said) {
              trouble = said.trouble;
              running.cut();
            }
            if (!('phase' in said)) return;
            // By the clock of who cuts it off; the machine has another.
            const now = performance.now();
            if (phase !== undefined) lengths.set(phase, now - began);
            phase = said.phase;
            began = now;
            // A short phase may have passed unseen.
            if (PHASES.indexOf(phase) < PHASES.indexOf(target)) return;
            setTimeout(running.cut, moment * (lengths.get(target) ?? PHASE_MS));
          },
        });
        await running.ended;
        isNew = false;
        return { up, phase, trouble, lost: disk.cut(random), fault: fault(disk.path) };
      },
    };
  }

  const wasNewBefore = (phase: Phase | undefined) =>
    phase !== undefined && PHASES.indexOf(phase) >= PHASES.indexOf('answered');

  /** Why what came up is none of what may come up, or undefined. */
  function wrong(
    life: Life,
    before: { readonly running: string; readonly to: string; readonly phase: Phase | undefined },
  ) {
    if (life.fault !== undefined) return life.fault;
    if (life.up === undefined) return 'nothing came up';
    const { firmwareVersion, whole, settings } = life.up;
    if (!whole) return `${firmwareVersion} is mixed`;
    if (JSON.stringify(settings) !== JSON.stringify(SETTINGS)) return `the settings are ${JSON.stringify(settings)}`;
    if (life.trouble !== undefined) return life.trouble;
    // Whoever was told that it is done may count on it.
    const allowed = wasNewBefore(before.phase) ? [before.to] : [before.running, before.to];
    return allowed.includes(firmwareVersion) ? undefined : `${firmwareVersion} came up, not ${allowed.join(' or ')}`;
  }

  const tell = (line: string) => process.stdout.write(`${line}\n`);

  it(
    `comes up old or new, whole, with its settings, and takes the next update, after each of ${CUTS} cuts (seed ${SEED})`,
    async () => {
      const random = randomFrom(SEED);
      const { live } = box('power', random);
      // A new box, and how long each phase takes.
      const first = await live('1.0.0', 'good');
      expect(first).toMatchObject({ up: { slot: 'factory', settings: SETTINGS }, phase: 'good', trouble: undefined });
      expect(first.fault).toBeUndefined();
      const hits = new Map<Phase, { old: number; new: number }>();
      let before = { running: first.up?.firmwareVersion ?? '', to: '1.0.0', phase: first.phase };
      const faults: string[] = [];
      for (let cut = 1; cut <= CUTS + 1; cut += 1) {
        const to = `1.0.${cut}`;
        // The one behind the last cut shows how the box came out of that, and that an update still gets through.
        const target = cut > CUTS ? 'good' : (PHASES[Math.floor(random() * PHASES.length)] ?? 'good');
        const life = await live(to, target);
        const found = wrong(life, before);
        if (found !== undefined) faults.push(`cut ${cut - 1} in ${before.phase}: ${found}`);
        const came = life.up?.firmwareVersion === before.to ? 'new' : 'old';
        if (cut > 1 && before.phase !== undefined) {
          const count = hits.get(before.phase) ?? { old: 0, new: 0 };
          hits.set(before.phase, { ...count, [came]: count[came] + 1 });
        }
        tell(`${to}: ${life.up?.firmwareVersion} ${life.up?.slot} cut in ${life.phase} ${JSON.stringify(life.lost)}`);
        before = { running: life.up?.firmwareVersion ?? before.running, to, phase: life.phase };
      }
      tell(`cuts by the last phase that had begun: ${JSON.stringify(Object.fromEntries(hits))}`);
      expect(faults).toEqual([]);
      expect(before.phase).toBe('good');
      expect(hits.size).toBeGreaterThanOrEqual(Math.min(6, Math.ceil(CUTS / 4)));
    },
    (CUTS + 2) * LIFE_MS,
  );

  it(
    'whose writes are never synced is caught by these cuts',
    async () => {
      const random = randomFrom(SEED);
      const { live } = box('unsynced', random, { LAB_UNSYNCED: unsynced });
      const first = await live('1.0.0', 'answered');
      const second = await live('1.0.1', 'answered');
      const found = wrong(second, { running: first.up?.firmwareVersion ?? '', to: '1.0.0', phase: first.phase });
      expect(found).toMatch(/settings|came up/);
    },
    3 * LIFE_MS,
  );
});
