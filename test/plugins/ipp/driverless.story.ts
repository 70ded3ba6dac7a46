/** What a person prints from a computer that has CUPS and no driver: on paper once, whole and in order, whatever becomes of the printer. */
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { until } from '../../node.ts';
import { needTools } from '../../tools.ts';
import { type Driverless, noCups, startDriverless } from './driverless.ts';
import { GET_PRINTER, type IppNode, startIppNode } from './ipp-node.ts';

const JOBS = Number(process.env['DRIVERLESS_JOBS'] ?? 100);
/** States and reasons are right within so many ms. */
const RIGHT_MS = 3000;
const CUT = Buffer.from('\x1dV');
const RASTER = Buffer.from('\x1dv0\0', 'latin1');
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

  it('a receipt of 72 by 200 mm from a PDF has its size, its place and its letters', async () => {
    const page = [...marks, ...lines(['TOTAL 12.50', 'THANK YOU', 'RECEIPT 4711'], 120)].join('\n');
    await cups.print(pdf('receipt', [page]), 'media=om_roll-72x200_72x200mm');
    await idle();
    const [rows = []] = printed();
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

  it(`${JOBS} jobs of all kinds come out once, whole and in order, though cover, paper and cable come between them`, async () => {
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
      return cups.print(fileOf(number));
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
    const papers = printed().map(read);
    expect(papers.map((paper) => words(paper))).toEqual(Array.from({ length: number }, (_, n) => wordsOf(n + 1)));
  }, 1_800_000);

  it('a job that is canceled while it prints ends, and the next one is whole', async () => {
    printer.taken = [];
    printer.set({ slow: 20_000 });
    const long = await cups.print(
      pdf(
        'long',
        Array.from({ length: 5 }, () => marks.join('\n')),
      ),
    );
    await until(() => Buffer.concat(printer.taken).length > 8000);
    await cups.cancel(long);
    await until(cups.waiting, (jobs) => !jobs.includes(long));
    printer.set({ slow: 0 });
    await cups.print(fileOf(2));
    await idle();
    expect(words(read(printed().at(-1)!))).toEqual(wordsOf(2));
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

/** PostScript: a thick mark at the upper left, a thin one at the lower right, 180 mm apart and 60 mm across. */
const MM = 72 / 25.4;
const marks = [
  `${6 * MM} ${180 * MM} moveto ${30 * MM} 0 rlineto 0 ${10 * MM} rlineto ${-30 * MM} 0 rlineto closepath fill`,
  `${56 * MM} ${10 * MM} moveto ${10 * MM} 0 rlineto 0 ${4 * MM} rlineto ${-10 * MM} 0 rlineto closepath fill`,
];
const lines = (texts: readonly string[], top: number) => [
  '/Courier-Bold findfont 18 scalefont setfont',
  ...texts.map((text, n) => `${6 * MM} ${(top - 12 * n) * MM} moveto (${text}) show`),
];
function drawn(name: string, pages: readonly string[], device: string, extension: string): string {
  const size = `<< /PageSize [${72 * MM} ${200 * MM}] >> setpagedevice`;
  const source = join(folder, `${name}.ps`);
  writeFileSync(source, `%!PS\n${size}\n${pages.map((page) => `${page}\nshowpage\n`).join('')}`);
  const out = join(folder, `${name}.${extension}`);
  execFileSync('gs', [
    '-q',
    '-dNOPAUSE',
    '-dBATCH',
    '-dSAFER',
    '-r203',
    `-sDEVICE=${device}`,
    `-sOutputFile=${out}`,
    source,
  ]);
  return out;
}
const pdf = (name: string, pages: readonly string[]) => drawn(name, pages, 'pdfwrite', 'pdf');

/** The words of job n, in order: where it begins, something between, and where it ends. */
const wordsOf = (n: number): string[] => {
  const id = String(n).padStart(3, '0');
  const pages = n % 4 === 0 ? [`PAGE 1 ${id}`, `PAGE 2 ${id}`] : [`PAGE 1 ${id}`];
  return [`BEGIN ${id}`, ...pages, `END ${id}`];
};
/** These words on paper; a nought may be read as a letter. */
const words = (paper: string): string[] =>
  [...paper.matchAll(/(BEGIN|PAGE [12Il]|END) ([\dOoQIl]{3})/g)].map(([found]) => {
    const [, what, digits] = /^(.*?)((?: [\dOoQIl]+)+)$/.exec(found) ?? [];
    return `${what}${digits?.replaceAll(/[OoQ]/g, '0').replaceAll(/[Il]/g, '1')}`;
  });

/** PDF of one page, text, a picture, PDF of two pages. */
function fileOf(n: number): string {
  const [begin, ...rest] = wordsOf(n);
  const name = `job-${n}`;
  if (n % 4 === 1) return pdf(name, [lines([begin!, ...rest], 180).join('\n')]);
  if (n % 4 === 2) {
    writeFileSync(join(folder, `${name}.txt`), `${[begin, ...rest].join('\n\n')}\n`);
    return join(folder, `${name}.txt`);
  }
  if (n % 4 === 3) return drawn(name, [lines([begin!, ...rest], 180).join('\n')], 'pnggray', 'png');
  const [first, second, end] = rest;
  return pdf(name, [lines([begin!, first!], 180).join('\n'), lines([second!, end!], 180).join('\n')]);
}

/** The rows of each piece of paper that was cut off. */
function printed(): boolean[][][] {
  const bytes = Buffer.concat(printer.taken);
  const pieces: boolean[][][] = [[]];
  for (let at = 0; at < bytes.length; ) {
    const [raster, cut] = [bytes.indexOf(RASTER, at), bytes.indexOf(CUT, at)];
    if (cut >= 0 && (raster < 0 || cut < raster)) {
      pieces.push([]);
      at = cut + CUT.length;
    } else if (raster >= 0) {
      const [across, height] = [bytes.readUInt16LE(raster + 4), bytes.readUInt16LE(raster + 6)];
      for (let row = 0; row < height; row += 1) {
        const from = raster + 8 + row * across;
        pieces
          .at(-1)!
          .push(Array.from({ length: 8 * across }, (_, x) => ((bytes[from + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1));
      }
      at = raster + 8 + across * height;
    } else break;
  }
  return pieces.filter(({ length }) => length > 0);
}

/** What tesseract(1) reads on a piece of paper. */
function read(rows: readonly (readonly boolean[])[]): string {
  const width = rows[0]!.length;
  const [margin, page] = [24, [] as Buffer[]];
  const blank = Buffer.alloc(width + 2 * margin, 255);
  for (let n = 0; n < margin; n += 1) page.push(blank);
  for (const row of rows) {
    const line = Buffer.from(blank);
    for (const [x, dot] of row.entries()) if (dot) line[margin + x] = 0;
    page.push(line);
  }
  for (let n = 0; n < margin; n += 1) page.push(blank);
  const input = Buffer.concat([Buffer.from(`P5 ${blank.length} ${page.length} 255\n`), ...page]);
  const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
  return execFileSync('tesseract', ['stdin', 'stdout', '-l', 'eng', '--psm', '6', '--dpi', '203'], {
    input,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();
}
