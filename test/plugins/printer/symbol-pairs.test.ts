/** Two symbols under each other, and a picture above or below one, are all read from the paper: by ZXing, and by ZBar. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBarcodes } from 'zxing-wasm/reader';
import { resolveOptions } from '../../../codecs/escpos.ts';
import type { Line } from '../../../plugins/printer/contract.ts';
import { symbolDrawer } from '../../../plugins/printer/drawing/symbols.ts';
import { render } from '../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../plugins/printer/layout/shaped/shaped-text.ts';
import { paperSvg } from '../../../plugins/printer/virtual/paper/svg.ts';
import { paperOf } from '../../../plugins/printer/virtual/paper-of.ts';
import { greyMap, pixelsOf } from '../../scan-paper.ts';
import { loadReader } from '../../symbol-reader.ts';
import { needTools } from '../../tools.ts';

interface Kind {
  readonly name: string;
  readonly line: Line;
  /** What each reader says; ZBar reads no symbols of some kinds. */
  readonly zxing?: string;
  readonly zbar?: string;
}
const symbol = (
  symbology: string,
  value: string,
  zxing = value,
  zbar: string | null = zxing,
  rest: object = {},
): Kind => ({
  name: [symbology, ...Object.values(rest)].join(' '),
  line: { type: 'barcode', symbology, value, ...rest } as Line,
  ...{ zxing, ...(zbar !== null && { zbar }) },
});
const FNC1 = '\u001d';
const BLACK = Buffer.alloc(800, 0xff).toString('base64');

/** One of each, with other values for the first and the second of a pair. */
const kinds = (second: boolean): Kind[] => {
  const n = second ? 2 : 1;
  const [ean, short, gtin] = second
    ? ['5901234123457', '40123455', '00614141123452']
    : ['4006381333931', '96385074', '09521234543213'];
  return [
    { name: 'a black picture', line: { type: 'raster', width: 160, height: 40, data: BLACK } },
    symbol('qr', `https://pay.example/${n}`),
    symbol('pdf417', `tax 471${n}`, `tax 471${n}`, null),
    symbol('aztec', `ticket 1${n}`, `ticket 1${n}`, null),
    symbol('datamatrix', `parcel 1${n}`, `parcel 1${n}`, null),
    symbol('ean13', ean!),
    symbol('ean13', ean!, ean, ean, { hri: 'none' }),
    symbol('ean8', short!),
    symbol('upca', `0${second ? '12345678905' : '36000291452'}`, `00${second ? '12345678905' : '36000291452'}`),
    second ? symbol('upce', '01234565', '0012345000065') : symbol('upce', '04252614', '0042100005264'),
    symbol('code39', `TILL-7${n}`),
    symbol('code93', `TILL-8${n}`),
    symbol('code128', `Till 9${n}`),
    symbol('itf', `123456789${n}`),
    symbol('codabar', `A12345${n}B`),
    symbol('gs1-128', `(01)${gtin}(10)LOT${n}`, `01${gtin}10LOT${n}`),
    symbol('gs1-databar', `(01)${gtin}`, `01${gtin}`),
    symbol('gs1-databar-expanded', `(01)${gtin}`, `01${gtin}`),
    symbol('gs1-databar', `(01)${gtin}(10)L${n}(21)4`, `01${gtin}10L${n}${FNC1}214`, null, { hri: 'above' }),
  ];
};

/** The paper of lines. */
function paper(lines: Line[]): string {
  const options = resolveOptions();
  const shaping = new ShapedText(undefined, symbolDrawer);
  const rendered = render(lines, { columns: 48, cutClearanceLines: 4 }, options, shaping);
  if (!rendered.ok) throw new Error(rendered.detail);
  return paperSvg(paperOf(rendered.bytes, options));
}

const zxing = async (svg: string): Promise<string[]> =>
  (await readBarcodes(pixelsOf(svg), { tryInvert: false, textMode: 'Plain' })).map(({ text }) => text);

/** What ZBar reads of each file. */
function zbar(files: readonly string[]): string[][] {
  const { stdout } = spawnSync('zbarimg', ['--quiet', '--xml', ...files], { encoding: 'utf8', maxBuffer: 1e8 });
  const sources = new Map(
    stdout
      .split('<source ')
      .map((source) => [
        /href='([^']+)'/.exec(source)?.[1] ?? '',
        [...source.matchAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g)].map(([, text = '']) => text),
      ]),
  );
  return files.map((file) => sources.get(file) ?? []);
}

/** The smallest of all. */
const small = (n: number) => symbol('qr', `https://pay.example/${n}`, undefined, undefined, { size: 1 });
const BESIDE_SMALL = kinds(true).filter(({ name }) => /^(a black picture|qr|ean13|code128|gs1-128)$/.test(name));
const SMALL: (readonly [Kind, Kind])[] = [small(2), ...BESIDE_SMALL].flatMap((other) => [
  [small(1), other],
  [other, small(1)],
]);

/** Each night (PAIRS) every one; else a third, in which each kind stands above and below others of every sort. */
const STEP = process.env['PAIRS'] === undefined ? 3 : 1;
const PAIRS = kinds(false).flatMap((first, row) =>
  kinds(true)
    .filter((_, column) => (row + column) % STEP === 0)
    .filter(({ zxing }) => zxing ?? first.zxing)
    .map((second) => [first, second] as const),
);
let papers: string[];
beforeAll(async () => {
  await loadReader();
  papers = PAIRS.map((pair) => paper(pair.map(({ line }) => line)));
}, 120_000);

/** The pairs of which a reader does not say all that it reads elsewhere. */
const missed = (by: 'zxing' | 'zbar', read: readonly string[][], pairs: readonly (readonly [Kind, Kind])[]): string[] =>
  pairs.flatMap((pair, index) => {
    const lacking = pair.flatMap((kind) =>
      kind[by] === undefined || read[index]!.includes(kind[by]) ? [] : [kind.name],
    );
    return lacking.length === 0 ? [] : [`${pair[0].name}, ${pair[1].name}: not ${lacking} but ${read[index]}`];
  });

describe('every pair of symbols and pictures', () => {
  it('is read by ZXing', { timeout: 600_000 }, async () => {
    const read: string[][] = [];
    for (const each of papers) read.push(await zxing(each));
    expect(missed('zxing', read, PAIRS)).toEqual([]);
  });

  const tools = needTools(['zbarimg']);
  describe.skipIf(tools)(`of those that it knows ${tools ?? ''}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pairs-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const filesOf = (name: string, svgs: readonly string[], pixels?: number) =>
      svgs.map((svg, index) => {
        const path = join(folder, `${name}-${index}.pgm`);
        writeFileSync(path, greyMap(svg, pixels));
        return path;
      });
    it('is read by ZBar', { timeout: 600_000 }, () => {
      expect(missed('zbar', zbar(filesOf('pair', papers)), PAIRS)).toEqual([]);
    });

    // ZBar looks for bars of two pixels; a camera has several for each dot of the paper.
    it('is read with QR codes of one dot a module', async () => {
      const svgs = SMALL.map((pair) => paper(pair.map(({ line }) => line)));
      const read: string[][] = [];
      for (const each of svgs) read.push(await zxing(each));
      expect(missed('zxing', read, SMALL)).toEqual([]);
      expect(missed('zbar', zbar(filesOf('small', svgs, 3)), SMALL)).toEqual([]);
    });
  });
});
