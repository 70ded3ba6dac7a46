/**
 * Exactly once, on the wifi image with a printer of the kernel's, while a till prints receipts with keys: the node is killed,
 * the printer's plug is pulled, and the power of the box is cut, each at a random moment. The disk keeps what was flushed and some of
 * the rest; the printer, which has a power of its own, prints what it was sent by then. Somebody says of each receipt in doubt
 * what the paper shows. LAB_CUTS says how often the power is cut, LAB_SEED when.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { countsOn } from '../keyed-receipt.ts';
import { randomFrom } from '../random.ts';
import { CuttableDisk, fault, makeDisk } from './disk.ts';
import type { KeyedReport } from './guest/keyed.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import { startMachine } from './vm.ts';

const CUTS = Number(process.env['LAB_CUTS'] ?? 30);
const SEED = Number(process.env['LAB_SEED'] ?? 1);
const NAME = 'keyed';
const DISK_MEGABYTES = 64;
const LIFE_MS = 600_000;

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : undefined;

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'a box whose power is cut', () => {
  let program = '';
  beforeAll(async () => {
    [program = ''] = await bundlePrograms(['keyed-main.ts']);
  });

  it(
    `prints each receipt with a key once, through ${CUTS} cuts, seed ${SEED}`,
    async () => {
      if ('missing' in machine) throw new Error(machine.missing);
      const random = randomFrom(SEED);
      const disk = new CuttableDisk(makeDisk(NAME, { megabytes: DISK_MEGABYTES }));
      const paperFile = join(CACHE, `${NAME}.paper`);
      writeFileSync(paperFile, '');
      const paper: Buffer[] = [];
      /** Receipts that the till was told to be printed. */
      const printed = new Set<number>();
      const inDoubt = { none: 0, part: 0, whole: 0 };
      /** How often a receipt was half on the paper when it was in doubt. */
      const parts = new Map<number, number>();
      const blows = { kill: 0, pull: 0 };
      /** Bytes that the printer had taken and not yet printed when the power was cut. */
      let behind = 0;
      const faults: string[] = [];
      let next = 1;

      for (let cut = 0; cut <= CUTS; cut += 1) {
        let isUp = false;
        const running = startMachine(machine, {
          name: NAME,
          program,
          timeoutMs: LIFE_MS,
          disk: disk.powerOn(),
          env: {
            LAB_NEXT: String(next),
            LAB_PAPER: paperFile,
            LAB_PARTS: String(parts.get(next) ?? 0),
            LAB_LIFE: String(Math.floor(random() * 2 ** 31)),
            ...(cut === 0 && { LAB_NEW: 'yes' }),
          },
          onReport: (report) => {
            const said = report as KeyedReport;
            if ('paper' in said) paper.push(Buffer.from(said.paper, 'base64'));
            if ('up' in said) {
              isUp = true;
              if (said.up.uncertain > 1) faults.push(`after cut ${cut}: ${said.up.uncertain} jobs are in doubt`);
            }
            if ('trouble' in said) {
              faults.push(`after cut ${cut}: ${said.trouble}`);
              running.cut();
            }
            if ('stopped' in said) {
              behind += said.stopped.behind;
              running.cut();
            }
            if ('asked' in said && said.blow !== undefined) blows[said.blow] += 1;
            if ('doubted' in said) {
              inDoubt[said.shown] += 1;
              if (said.shown === 'part') parts.set(said.doubted, (parts.get(said.doubted) ?? 0) + 1);
            }
            if ('printed' in said) {
              printed.add(said.printed);
              next = said.printed + 1;
            }
          },
        });
        await running.ended;
        if (!isUp) faults.push(`after cut ${cut}: nothing came up`);
        const writes = disk.cut(random);
        const damage = fault(disk.path);
        if (damage !== undefined) faults.push(damage);
        const whole = Buffer.concat(paper);
        writeFileSync(paperFile, whole);
        const on = countsOn(whole);
        for (const number of printed) {
          const { begun, ended } = on(`power-${number}`);
          // Of what was half on the paper it was said that it is not there: it was printed again.
          if (ended !== 1 || begun !== 1 + (parts.get(number) ?? 0))
            faults.push(`receipt ${number}: on the paper ${begun} beginnings, ${ended} ends`);
        }
        const found = { printed: printed.size, ...blows, inDoubt, behind, writes, faults };
        process.stdout.write(`cut ${cut + 1} in receipt ${next}, seed ${SEED}: ${JSON.stringify(found)}\n`);
        if (faults.length > 0) break;
      }

      expect(faults).toEqual([]);
      expect(printed.size).toBeGreaterThan(0);
    },
    (CUTS + 1) * LIFE_MS,
  );
});
