/** What is sure to leave dots on the paper: whoever sends nothing of that keeps the printer from others, whatever it sends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ESCPOS_COMMANDS } from '../../codecs/escpos-command-lengths.ts';
import { newToken, readToken } from '../../codecs/escpos-tokenizer.ts';
import { Interpreter } from '../../plugins/printer/virtual/interpreter.ts';
import { paperModelOf } from '../../plugins/printer/virtual/paper/model.ts';
import { Paper } from '../../plugins/printer/virtual/paper/paper.ts';
import type { Bitmap, PageItem, Row } from '../../plugins/printer/virtual/paper/rows.ts';
import { bytes, FilteredPrinter } from './filtered.ts';

const MODEL = paperModelOf({
  ...{ dots: 576, columns: 48, codePages: 'epson', twoByte: 'none', cutter: true, maxSize: 8 },
  ...{ endOfPrint: true, realtimePulseDisable: true },
});
/** Payloads of at most so many bytes are tried. */
const MOST = 700;
/** A command stands so often in a stream. */
const TIMES = 60;

const hasDot = ({ rows }: Bitmap) => rows.some((byte) => byte !== 0);
const isMarked = (mark: PageItem['mark']): boolean =>
  mark.kind === 'symbol' || (mark.kind === 'image' ? hasDot(mark.bitmap) : mark.text.trim() !== '');
const hasInk = (row: Row): boolean => {
  switch (row.kind) {
    case 'line':
      return row.pieces.some(isMarked);
    case 'page':
      return row.items.some(({ mark }) => isMarked(mark));
    case 'raster':
      return hasDot(row.bitmap);
    default:
      return row.kind === 'symbol';
  }
};

/** Whether a stream is counted as one that prints, and whether it has left dots. */
function judge(begin: Uint8Array, parts: readonly Uint8Array[]): { counted: boolean; inked: boolean } {
  const printer = new FilteredPrinter();
  const { stream, push, end } = printer.connect();
  push(begin);
  stream.progress.takePrinted();
  const counted = parts.map((part) => {
    push(part);
    return stream.progress.takePrinted();
  });
  end(true);
  const paper = new Paper(MODEL);
  const interpreter = new Interpreter({ paper }, MODEL);
  interpreter.feed(printer.out);
  // What is left on the line is printed by whatever comes next.
  interpreter.feed(Uint8Array.of(0x0a));
  paper.finish();
  return { counted: counted.includes(true), inked: paper.rows.some(hasInk) };
}

const flood = (command: string | Uint8Array, begin = ''): ReturnType<typeof judge> => {
  const one = typeof command === 'string' ? bytes(command) : command;
  return judge(bytes(begin), Array<Uint8Array>(TIMES).fill(one));
};

/** One command of the table, whole, with these parameters and data. */
function whole(prefix: string, parameters: readonly number[], data: Uint8Array): Uint8Array | undefined {
  const all = Buffer.concat([Buffer.from(prefix, 'hex'), Uint8Array.from(parameters), data]);
  const token = newToken();
  if (readToken(all, 0, all.length, token) !== 'command' || token.payload > MOST || token.parts > 0) return undefined;
  const end = token.length + token.payload;
  return end <= all.length ? all.subarray(0, end) : undefined;
}

const parameter = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 48, max: 51 }), fc.nat(255));
const data = fc.oneof(
  fc.constant(new Uint8Array(MOST)),
  fc.uint8Array({ minLength: MOST, maxLength: MOST }),
  // m, fn: those of GS ( L and GS ( k.
  fc
    .tuple(fc.constantFrom(0x30, 0x31), fc.constantFrom(2, 50, 69, 80, 81, 83, 84, 85, 112, 113, 65, 67), fc.nat(1))
    .map(([m, fn, dot]) => Uint8Array.from([m, fn, 48, 1, 1, 49, 8, 0, 8, 0, ...Array<number>(MOST - 10).fill(dot)])),
);
/** In standard mode; in page mode; with what has no ink. */
const BEGINNINGS = ['', '1b4c', '1b40'];

describe('a flood of one command that leaves no dot', () => {
  it.each([...new Set(ESCPOS_COMMANDS.map(({ prefix }) => prefix))])(
    'is not counted as one that prints: %s',
    (prefix) => {
      fc.assert(
        fc.property(
          fc.array(parameter, { minLength: 13, maxLength: 13 }),
          data,
          fc.constantFrom(...BEGINNINGS),
          (parameters, payload, begin) => {
            const one = whole(prefix, parameters, payload);
            fc.pre(one !== undefined);
            const { counted, inked } = flood(one, begin);
            expect(counted && !inked).toBe(false);
          },
        ),
        { numRuns: Number(process.env['FUZZ_INK'] ?? 12), maxSkipsPerRun: 1000, seed: 28 },
      );
    },
  );

  it.each([
    ['GS / with no picture defined', '1d2f00'],
    ['GS ( L that stores', '1d284c1300 3070300101310800 0100 ffffffffffffffff 00'],
    ['GS ( L that stores in RAM', '1d284c1400 30533020200101080001 0031ffffffffffffffff'],
    ['GS 8 L that stores', '1d384c12000000 3070300101310800 0100 ffffffffffffffff'],
    ['GS ( L that prints what is not stored', '1d284c02003032'],
    ['GS ( L of a picture that is not defined', '1d284c060030453020200101'],
    ['GS ( k that stores', '1d286b17003150304142434445464748494a4b4c4d4e4f5051525354'],
    ['ESC K 0', '1b4b00'],
    ['ESC e', '1b6501'],
    ['ESC d', '1b6405'],
    ['LF', '0a'],
    ['spaces', '20202020200a'],
    ['cuts', '1d5600'],
    ['an empty macro and its runs', '1d3a1d3a1d5e010000'],
    ['an empty page', '1b4c0c'],
    ['a page that is cancelled', '1b4c41180c'],
    ['a page of white', '1b4c1b2a0001000000 0c'],
    ['a page of stored graphics that is cancelled', '1b4c1d284c120030703001013108000100ffffffffffffffff180c'],
    ['FS p of no logo', '1c700100'],
    ['white rasters', '1d7630000100080000000000000000001d76300001000100 00'],
    ['text for the display', '1b3d024142430a1b3d01'],
  ])('such as %s', (_, command) => {
    expect(flood(command)).toEqual({ counted: false, inked: false });
  });
});

/** Whether a stream is counted as one that prints, and whether rows with dots came out of the printer before it ended. */
function comesOut(part: Uint8Array): { counted: boolean; inked: boolean } {
  const printer = new FilteredPrinter();
  const { stream, push } = printer.connect();
  for (let time = 0; time < TIMES; time += 1) push(part);
  const paper = new Paper(MODEL);
  new Interpreter({ paper }, MODEL).feed(printer.out);
  return { counted: stream.progress.takePrinted(), inked: paper.rows.some(hasInk) };
}

describe('a letter that never comes out', () => {
  it.each([...new Set(ESCPOS_COMMANDS.map(({ prefix }) => prefix))])(
    'is not counted as one that prints, whatever stands behind it and goes back over it: %s',
    (prefix) => {
      fc.assert(
        fc.property(fc.array(parameter, { minLength: 13, maxLength: 13 }), data, (parameters, payload) => {
          const one = whole(prefix, parameters, payload);
          fc.pre(one !== undefined);
          for (const back of ['', '1b240000', '1b40']) {
            const { counted, inked } = comesOut(Buffer.concat([bytes(back), bytes('78'), one]));
            expect(counted && !inked, `${back} ${Buffer.from(one).toString('hex')}`).toBe(false);
          }
        }),
        { numRuns: Number(process.env['FUZZ_INK'] ?? 6), maxSkipsPerRun: 1000, seed: 28 },
      );
    },
  );

  it.each([
    ['that the next one overwrites', '1b24000078'],
    ['that is wiped', '781b40'],
    ['that is wiped, of a line that CR has ended', '780d1b40'],
    ['that the next one overwrites, by a way back', '781b5cf4ff'],
  ])('is not counted as one that prints: one %s', (_, command) => {
    expect(comesOut(bytes(command))).toEqual({ counted: false, inked: false });
  });

  it.each([
    ['with line ends', '780a'],
    ['without any', '78'.repeat(8)],
    ['that are fed', '781b6401'],
    ['in styles', '1b4501781b45000a'],
  ])('is told from lines %s', (_, command) => {
    expect(comesOut(bytes(command))).toEqual({ counted: true, inked: true });
  });
});

describe('what leaves dots', () => {
  it.each([
    ['text', '410a'],
    ['a picture in a line', '1b2a000100800a'],
    ['a picture of over sixteen bytes', `1b2a001400${'00'.repeat(19)}010a`],
    ['a raster', '1d763000010001000a'],
    ['a page', '1b4c410c'],
    ['a page that is kept', '1b4c411b0c1b0c1b53'],
    ['graphics', '1d284c120030703001013108000100ff000000000000001d284c02003032'],
    ['graphics in a page', '1b4c1d284c120030703001013108000100ff000000000000001d284c020030320c'],
    ['text behind a page without ink', '1b4c0c410a'],
  ])('is counted as that: %s', (_, command) => {
    expect(flood(command)).toEqual({ counted: true, inked: true });
    const pieces = Array.from(bytes(command), (byte) => Uint8Array.of(byte));
    expect(judge(new Uint8Array(0), pieces)).toEqual({ counted: true, inked: true });
  });
});

describe('bytes of pictures, which a slow radio brings', () => {
  const RASTER = '1d7630 00 0100 0400';
  it.each([
    ['are those that have come of one with a dot', `${RASTER} 01000000`, 4],
    ['are those that have come so far', `${RASTER} 01`, 1],
    ['are none where there is no dot', `${RASTER} 00000000`, 0],
    ['are none of a page', `1b4c ${RASTER} 01000000`, 0],
    ['are none of text', Buffer.from('a receipt\n').toString('hex'), 0],
    ['are none of what is stored', '1d284c 0f00 30 70 30 01 01 31 0800 0400 ff000000', 0],
  ])('%s', (_, hex, count) => {
    const { stream, push } = new FilteredPrinter().connect();
    push(bytes(hex));
    expect(stream.progress.takePictureBytes()).toBe(count);
    expect(stream.progress.takePictureBytes()).toBe(0);
  });
});
