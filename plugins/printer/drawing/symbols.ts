/**
 * Draws symbols as rows of modules, '1' is dark: GS1 DataBar, Aztec and Data Matrix by bwip-js, those that printers know by the
 * code that draws the paper of the virtual one. The drawing thread imports it at the first job that has one.
 */
import {
  azteccode,
  type BwippOptions,
  type DrawingContext,
  databarexpanded,
  databarexpandedstacked,
  databarlimited,
  databaromni,
  databarstacked,
  databarstackedomni,
  databartruncated,
  datamatrix,
} from 'bwip-js/generic';
import { gs1Text } from '../../../codecs/gs1-elements.ts';
import { latin1 } from '../../../codecs/latin1.ts';
import type { AskedSymbol, SymbolModules } from '../contract/twin.ts';
import type { SymbolDrawer } from '../layout/shaping.ts';
import { PDF417_SETUP } from '../virtual/state/modes.ts';
import { encodeBarcode } from '../virtual/symbols/barcode.ts';
import { encodePdf417 } from '../virtual/symbols/pdf417.ts';
import { encodeQr } from '../virtual/symbols/qr.ts';

/** Percent of an Aztec Code that corrects errors, as of a QR Code with this level (ISO/IEC 24778 recommends 23). */
const AZTEC_PERCENT = { l: 10, m: 23, q: 36, h: 50 } as const;
/** Segments of a row of GS1 DataBar Expanded Stacked, and modules of two with their finder pattern (ISO/IEC 24724). */
const SEGMENTS = { least: 2, most: 22, modulesOfTwo: 49 } as const;

export const symbolDrawer: SymbolDrawer = {
  aztec: (value, level) => matrixOf(azteccode, value, { eclevel: AZTEC_PERCENT[level] }),
  datamatrix: (value) => matrixOf(datamatrix, value),
  databar(elements, most) {
    const text = gs1Text(elements).join('');
    if (most === undefined) return barsOf(databaromni, text);
    const single = barsOf(databarexpanded, text);
    if (single === undefined || single[0]!.length <= most) return single;
    const fitting = 2 * Math.floor(most / SEGMENTS.modulesOfTwo);
    for (let segments = Math.min(SEGMENTS.most, fitting); segments >= SEGMENTS.least; segments -= 2) {
      const rows = matrixOf(databarexpandedstacked, text, { segments });
      if (rows === undefined || rows[0]!.length <= most) return rows;
    }
    return single;
  },
  bars(symbology, data) {
    const drawn = encodeBarcode(symbology === 'gs1-128' ? 'code128' : symbology, latin1(data));
    return [drawn!.bars];
  },
  qr: (data, level) => encodeQr(data, level)!,
  pdf417: (data, level, across) =>
    encodePdf417(
      data,
      { ...PDF417_SETUP, columns: (across - 1) / 17 - 4, correction: { level } },
      Number.MAX_SAFE_INTEGER,
    )!,
};

const ASKED: Readonly<Record<AskedSymbol['type'], Draw>> = {
  ...{ azteccode, datamatrix, databaromni, databartruncated, databarlimited, databarexpanded },
  ...{ databarstacked, databarstackedomni, databarexpandedstacked },
};
/** Names of symbols that are of bars alone. */
const OF_BARS = /^databar(?:omni|truncated|limited|expanded)$/;

/** Draws a symbol as the virtual printer was told to. */
export function modulesOf({ type, text, options }: AskedSymbol): SymbolModules {
  if (OF_BARS.test(type)) return barsOf(ASKED[type], text);
  return matrixOf(ASKED[type], text, { ...options, binarytext: true });
}

type Draw = (options: BwippOptions & { bcid: string; text: string }, context: DrawingContext<void>) => unknown;
type Point = readonly [number, number];

/** What bwip-js draws a symbol with, at its smallest: outlines of squares, or lines of bars. Undefined for a value it refuses. */
function shapesOf(draw: Draw, text: string, options: object) {
  const outlines: (readonly Point[])[] = [];
  const bars: { readonly x: number; readonly width: number }[] = [];
  const nothing = () => {};
  try {
    draw(
      // Elements were checked; what may stand beside which is for the one who prints them.
      { bcid: '', text, ...{ scale: 1, dontlint: true }, ...options },
      {
        scale: (x, y) => [x, y],
        measure: () => ({ width: 0, ascent: 0, descent: 0 }),
        init: nothing,
        line: (x, _y, _x, _to, width) => void bars.push({ x: x - Math.floor((width - 1) / 2), width }),
        polygon: (points) => void outlines.push(points),
        hexagon: nothing,
        ellipse: nothing,
        fill: nothing,
        text: nothing,
        end: nothing,
      },
    );
  } catch {
    return undefined;
  }
  return { outlines, bars };
}

/** A symbol of bars, as high as they are. */
function barsOf(draw: Draw, text: string): readonly string[] | undefined {
  const bars = shapesOf(draw, text, {})?.bars;
  if (bars === undefined) return undefined;
  const row = new Array<string>(Math.max(...bars.map(({ x, width }) => x + width))).fill('0');
  for (const { x, width } of bars) row.fill('1', x, x + width);
  return [row.join('')];
}

/** A symbol of squares, whose outlines stand at multiples of their size; what two outlines enclose is white again. */
function matrixOf(draw: Draw, text: string, options: object = {}): readonly string[] | undefined {
  const outlines = shapesOf(draw, text, options)?.outlines;
  if (outlines === undefined) return undefined;
  const size = outlines.flat(2).reduce(greatestDivisor, 0);
  const points = outlines.flat();
  const across = Math.max(...points.map(([x]) => x)) / size;
  const rows = Array.from({ length: Math.max(...points.map(([, y]) => y)) / size }, () => new Uint8Array(across));
  for (const outline of outlines) {
    for (const [index, [x, y]] of outline.entries()) {
      const [toX, toY] = outline[(index + 1) % outline.length]!;
      if (x !== toX) continue;
      for (let row = Math.min(y, toY) / size; row < Math.max(y, toY) / size; row += 1)
        for (let at = x / size; at < across; at += 1) rows[row]![at]! ^= 1;
    }
  }
  return rows.map((row) => row.join(''));
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
