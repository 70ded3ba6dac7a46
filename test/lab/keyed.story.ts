/**
 * Exactly once, on the wifi image with a printer of the kernel's, through cuts of the power: QEMU is killed at a random moment while a
 * till prints receipts with keys, and the disk keeps what was flushed and some of the rest. After each start somebody says
 * of the receipt in doubt what the paper shows. LAB_CUTS says how often, LAB_SEED when.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { countsOn } from '../crash/keyed-receipt.ts';
import { randomFrom } from '../random.ts';
import { CuttableDisk, fault, makeDisk } from './disk.ts';
import type { KeyedReport } from './guest/keyed.ts';
import { prepareMachine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import { startMachine } from './vm.ts';

const CUTS = Number(process.env['LAB_CUTS'] ?? 30);
const SEED = Number(process.env['LAB_SEED'] ?? 1);
const NAME = 'keyed';
const DISK_MEGABYTES = 64;
const LIFE_MS = 600_000;
/** A cut is in one of so many receipts of its life. */
const RECEIPTS = 6;
/** By the clock of who cuts it off, until it is known how long a receipt takes. */
const RECEIPT_MS = 1000;

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : undefined;

describe.skipIf(missing !== undefined)(
  missing ? `the lab ${missing}` : 'receipts with keys and cuts of the power',
  () => {
    let program = '';
    beforeAll(async () => {
      [program = ''] = await bundlePrograms(['keyed-main.ts']);
    });

    it(
      `prints each of them once through ${CUTS} cuts, seed ${SEED}`,
      async () => {
        if ('missing' in machine) throw new Error(machine.missing);
        const random = randomFrom(SEED);
        const disk = new CuttableDisk(makeDisk(NAME, { megabytes: DISK_MEGABYTES }));
        const paper: Buffer[] = [];
        /** Receipts that the till was told to be printed. */
        const printed = new Set<number>();
        /** What the paper showed of those in doubt, each time that they were. */
        const inDoubt = new Map<number, ('none' | 'part' | 'whole')[]>();
        const faults: string[] = [];
        let [next, receiptMs] = [1, RECEIPT_MS];

        for (let cut = 0; cut <= CUTS; cut += 1) {
          const { begun, ended } = countsOn(Buffer.concat(paper))(`power-${next}`);
          const shown = ended > 0 ? 'whole' : begun > 0 ? 'part' : 'none';
          const victim = next + Math.floor(random() * RECEIPTS);
          const moment = random();
          let [askedAt, isUp] = [0, false];
          const running = startMachine(machine, {
            name: NAME,
            program,
            timeoutMs: LIFE_MS,
            disk: disk.powerOn(),
            env: {
              LAB_NEXT: String(next),
              LAB_SHOWN: shown,
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
              if ('asked' in said) {
                askedAt = performance.now();
                if (said.asked === victim) setTimeout(running.cut, moment * receiptMs);
              }
              if ('answered' in said && said.what === 'in-doubt')
                inDoubt.set(said.answered, [...(inDoubt.get(said.answered) ?? []), shown]);
              if ('answered' in said && said.what === 'printed') {
                receiptMs = performance.now() - askedAt;
                printed.add(said.answered);
                next = said.answered + 1;
              }
            },
          });
          await running.ended;
          if (!isUp) faults.push(`after cut ${cut}: nothing came up`);
          const lost = disk.cut(random);
          const damage = fault(disk.path);
          if (damage !== undefined) faults.push(damage);
          const on = countsOn(Buffer.concat(paper));
          for (const number of printed) {
            const { begun, ended } = on(`power-${number}`);
            const parts = inDoubt.get(number)?.filter((each) => each === 'part').length ?? 0;
            // Of what was half on the paper it was said that it is not there: it was printed again.
            if (ended !== 1 || begun !== 1 + parts)
              faults.push(`receipt ${number}: on the paper ${begun} beginnings, ${ended} ends`);
          }
          const doubts = [...inDoubt.values()].flat();
          const of = (what: string) => doubts.filter((each) => each === what).length;
          const found = { printed: printed.size, inDoubt: { none: of('none'), part: of('part'), whole: of('whole') } };
          process.stdout.write(
            `cut ${cut + 1} in receipt ${next}, seed ${SEED}: ${JSON.stringify({ ...found, writes: lost, faults })}\n`,
          );
          if (faults.length > 0) break;
        }

        expect(faults).toEqual([]);
        expect(printed.size).toBeGreaterThan(0);
      },
      (CUTS + 1) * LIFE_MS,
    );
  },
);
