/** What a person prints from a computer that has CUPS and no driver: on paper once, whole and in order, whatever becomes of the printer. */
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { until } from '../../node.ts';
import { needTools } from '../../tools.ts';
import { fileOf, lines, marks, pdf, printed, read, words, wordsOf } from './documents.ts';
import { type Driverless, noCups, startDriverless } from './driverless.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import { GET_PRINTER } from './messages.ts';

const JOBS = Number(process.env['DRIVERLESS_JOBS'] ?? 100);
/** States and reasons are right within so many ms. */
const RIGHT_MS = 3000;
/** Keeps all that it took, of which a virtual printer has the last mebibyte. */
class PrinterThatKeeps extends VirtualPrinter {
  taken: Buffer[] = [];

  protected override receive(pipe: number, bytes: Uint8Array): number {
    const taken = super.receive(pipe, bytes);
    this.taken.push(Buffer.from(bytes.slice(0, taken)));
    return taken;
  }
}
const printer = new PrinterThatKeeps();
const missing = noCups ?? needTools(['tesseract']);
const folder = mkdtempSync(join(tmpdir(), 'driverless-story-'));
/** All that it took. */
const paper = () => Buffer.concat(printer.taken);
let node: IppNode;
let cups: Driverless;

describe.skipIf(missing)('CUPS without a driver', () => {
  beforeAll(async () => {
    node = await startIppNode({ usb: { writeTimeoutMs: 60_000 } }, printer);
    cups = await startDriverless(node.ipp);
  });
  afterAll(async () => {
    await cups?.stop();
    await node?.stop();
    rmSync(folder, { recursive: true });
  });

  it('prints a receipt of 72 by 200 mm from a PDF in its size, at its place, with its letters', async () => {
    const page = [...marks, ...lines(['TOTAL 12.50', 'THANK YOU', 'RECEIPT 4711'], 120)].join('\n');
    await cups.print(pdf(folder, 'receipt', [page]), 'media=om_roll-72x200_72x200mm');
    await idle();
    const [rows = []] = printed(paper());
    const mm = (dots: number) => (dots * 25.4) / 203;
    const inked = rows.flatMap((row, y) => (row.some(Boolean) ? [y] : []));
    const across = rows[0]!.map((_, x) => x).filter((x) => rows.some((row) => row[x]));
    // From the upper edge of the first mark to the lower one of the last, and from the left one to the right one.
    expect(Math.abs(mm(inked.at(-1)! - inked[0]! + 1) - 180)).toBeLessThan(1);
    expect(Math.abs(mm(across.at(-1)! - across[0]! + 1) - 60)).toBeLessThan(1);
    expect(Math.abs(mm(across[0]!) - 6)).toBeLessThan(1);
    // The thick mark is above, and to the left.
    const thick = (y: number) => rows[y]!.filter(Boolean).length;
    expect(thick(inked[0]! + 8)).toBeGreaterThan(2 * thick(inked.at(-1)! - 8));
    expect(read(rows)).toMatch(/TOTAL 12.50\s+THANK YOU\s+RECEIPT 4711/);
  });

  it(`has ${JOBS} jobs of all kinds come out once, whole and in order, though cover, paper and cable come between them`, async () => {
    printer.taken = [];
    const late: number[] = [];
    const ids: number[] = [];
    const disturbed = async (fault: () => void, mended: () => void, reason: string) => {
      fault();
      late.push(await within(reason));
      ids.push(await next());
      mended();
      late.push(await within('none'));
    };
    let number = 0;
    const next = () => {
      number += 1;
      return cups.print(fileOf(folder, number));
    };
    while (number < JOBS) {
      ids.push(await next());
      if (number % 25 === 5) {
        // In the middle of what prints now.
        await until(() => printer.taken.length > 0);
        await disturbed(
          () => printer.set({ cover: 'open' }),
          () => printer.set({ cover: 'closed' }),
          'cover-open',
        );
      } else if (number % 25 === 13) {
        await disturbed(
          () => printer.set({ paper: 'out' }),
          () => printer.set({ paper: 'ok' }),
          'media-empty',
        );
      } else if (number % 25 === 20) {
        await idle();
        await disturbed(
          () => node.bench.usb.unplug(printer),
          () => node.bench.usb.plug(printer),
          'connecting-to-device',
        );
      }
    }
    await idle();
    expect(cups.completed().slice(-ids.length)).toEqual(ids);
    expect(Math.max(...late)).toBeLessThan(RIGHT_MS);
    const papers = printed(paper()).map(read);
    expect(papers.map(words)).toEqual(Array.from({ length: number }, (_, n) => wordsOf(n + 1)));
  }, 1_800_000);

  it.each([
    ['of several files', [1, 3, 4], [], 0],
    // The letters of CUPS on it are too small to be read.
    ['with a banner before it', [1], ['job-sheets=standard,none'], -240],
  ] as const)('has a job %s come out whole', async (_, files, options, from) => {
    printer.taken = [];
    await cups.print(
      files.map((number) => fileOf(folder, number)),
      ...options,
    );
    await idle();
    expect(printed(paper()).flatMap((rows) => words(read(rows.slice(from))))).toEqual(files.flatMap(wordsOf));
  });

  /** Five pages that come out slowly, of which the first has begun; their number. */
  const caught = async () => {
    printer.taken = [];
    printer.set({ slow: 20_000 });
    const pages = Array.from({ length: 5 }, () => marks.join('\n'));
    const long = await cups.print(pdf(folder, 'long', pages));
    await until(() => paper().length > 8000);
    return long;
  };

  it('ends a job that is canceled while it prints, and the next one is whole', async () => {
    const long = await caught();
    await cups.cancel(long);
    await until(cups.waiting, (jobs) => !jobs.includes(long));
    printer.set({ slow: 0 });
    await cups.print(fileOf(folder, 2));
    await idle();
    expect(words(read(printed(paper()).at(-1)!))).toEqual(wordsOf(2));
  });

  it('prints no job twice in the middle of which the printer is pulled, and the next one is whole', async () => {
    await caught();
    node.bench.usb.unplug(printer);
    await within('connecting-to-device');
    printer.taken = [];
    printer.set({ slow: 0 });
    const next = await cups.print(fileOf(folder, 2));
    node.bench.usb.plug(printer);
    expect(await within('none')).toBeLessThan(RIGHT_MS);
    await idle();
    expect(cups.completed().at(-1)).toBe(next);
    expect(printed(paper()).map((rows) => words(read(rows)))).toEqual([wordsOf(2)]);
  });
});

/** Resolves when CUPS and the node have nothing to print. */
const idle = () =>
  until(
    async () => (await cups.waiting()).length,
    (left) => left === 0,
  );

/** Milliseconds until the node says this reason. */
async function within(reason: string): Promise<number> {
  const since = performance.now();
  await until(
    async () => (await node.ask(GET_PRINTER, [[0x44, 'requested-attributes', 'printer-state-reasons']])).values,
    (values) => values['printer-state-reasons']?.includes(reason) === true,
  );
  const took = performance.now() - since;
  await delay(100);
  return took;
}
