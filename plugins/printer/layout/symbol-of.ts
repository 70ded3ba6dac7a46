/** What a symbol is made of: its modules, their size on the paper, the commands that print it, its text. */
import { type LinearSymbology, linearData } from '../../../codecs/barcode.ts';
import type { Parsed } from '../../../codecs/codec.ts';
import type { EscposOptions } from '../../../codecs/escpos.ts';
import {
  barcodeCommands,
  type Commands,
  type Hri,
  pdf417Commands,
  qrCommands,
} from '../../../codecs/escpos-symbols.ts';
import { gs1Elements, gs1Text } from '../../../codecs/gs1-elements.ts';
import { PDF417_LEVEL, pdf417Data, qrData } from '../../../codecs/matrix-code.ts';
import { linearModules, PDF417, type PrintedSymbology, qrModules, symbolDots } from '../../../codecs/symbol-size.ts';
import type { Line } from '../contract/lines.ts';
import { type DrawnSymbology, NeedsShaping, type Shaping } from './shaping.ts';

export type BarcodeLine = Extract<Line, { type: 'barcode' }>;

/** A symbol that fits its line. */
export interface MadeSymbol {
  /** Modules across, and dots of one. */
  readonly across: number;
  readonly moduleDots: number;
  /** Dots down of one row of modules, and of all. */
  readonly rowDots: number;
  readonly height: number;
  /** Prints it, its text included, on a printer that draws it; undefined where none does. */
  readonly commands: Commands | undefined;
  /** Rows of modules, '1' is dark; a bar code has one. Call it in the drawing thread. */
  readonly modules: () => readonly string[];
  /** Where its text stands, and the parts of it between which a row may end. */
  readonly hri: Hri;
  readonly text: readonly string[];
  /** The commands print no text: not as it should be. */
  readonly textByNode: boolean;
}

/** UPC and EAN, which get wider modules (GS w) because tills scan them from further away. */
const RETAIL = /^(?:ean|upc)/;
const BARCODE_HEIGHT = 80;
/** Least height of GS1 DataBar, in modules (GS1 General Specifications, 5.5.2: 33 of Omnidirectional, 34 of Expanded). */
const DATABAR_HEIGHT = 34;
/** Dots of a module: the least that printers accept, or that is drawn, and the default, where the paper is wide enough for it. */
const LINEAR_DOTS = { least: 2, usual: 2 } as const;
const RETAIL_DOTS = { least: 2, usual: 3 } as const;
const QR_DOTS = { least: 1, usual: 6 } as const;
const PDF417_DOTS = { least: 2, usual: 3, most: 8 } as const;
const MATRIX_DOTS = { least: 2, usual: 6 } as const;

const DRAWN: ReadonlySet<PrintedSymbology> = new Set<DrawnSymbology>([
  ...(['aztec', 'datamatrix', 'gs1-databar', 'gs1-databar-expanded'] as const),
]);

/** Symbologies that the node draws: on every printer, and those of GS ( k where it lacks that. */
export const isDrawn = (symbology: PrintedSymbology, { symbols }: Pick<EscposOptions, 'symbols'>): boolean =>
  DRAWN.has(symbology) || (!symbols && (symbology === 'qr' || symbology === 'pdf417'));

const wrong = (reason: string): Parsed<MadeSymbol> => ({ ok: false, reason });
/** Objects of one shape, which what reads them is compiled for. */
const fits = (
  size: Pick<MadeSymbol, 'across' | 'moduleDots' | 'rowDots' | 'height'>,
  commands: Commands | undefined,
  modules: () => readonly string[],
  hri: Hri = 'none',
  text: readonly string[] = [],
  textByNode = false,
): Parsed<MadeSymbol> => {
  const { across, moduleDots, rowDots, height } = size;
  return { ok: true, value: { across, moduleDots, rowDots, height, commands, modules, hri, text, textByNode } };
};

type DrawnOn = Pick<EscposOptions, 'dots' | 'symbols'>;

/** Makes the symbol of a line; the reason where its value or width is wrong. Throws NeedsShaping where it has to be drawn first. */
export function symbolOf(line: BarcodeLine, options: DrawnOn, shaping: Shaping | undefined): Parsed<MadeSymbol> {
  const { dots } = options;
  switch (line.symbology) {
    case 'qr':
      return qr(line, options, shaping);
    case 'pdf417':
      return pdf417(line, options, shaping);
    case 'aztec':
    case 'datamatrix':
      return matrix(line, line.symbology, dots, shaping);
    case 'gs1-databar':
    case 'gs1-databar-expanded':
      return databar(line, line.symbology, dots, shaping);
    default:
      return linear(line, line.symbology, dots, shaping);
  }
}

function qr(line: BarcodeLine, { dots, symbols }: DrawnOn, shaping: Shaping | undefined): Parsed<MadeSymbol> {
  const level = line.errorCorrection ?? 'm';
  const data = qrData(line.value, level);
  if (!data.ok) return data;
  const { across } = qrModules(data.value.length, level);
  const moduleDots = line.size ?? largest(QR_DOTS, 'qr', across, dots);
  const fault = widthFault('qr', across, moduleDots, dots);
  if (fault !== undefined) return wrong(fault);
  const commands = symbols ? qrCommands(data.value, moduleDots, level) : undefined;
  return fits(square(across, moduleDots), commands, () => drawn(shaping).qr(data.value, level));
}

function pdf417(line: BarcodeLine, { dots, symbols }: DrawnOn, shaping: Shaping | undefined): Parsed<MadeSymbol> {
  const level = PDF417_LEVEL[line.errorCorrection ?? 'l'];
  const data = pdf417Data(line.value, level);
  if (!data.ok) return data;
  const { bytes, extent } = data.value;
  const moduleDots = line.size ?? largest(PDF417_DOTS, 'pdf417', extent.across, dots);
  if (moduleDots < PDF417_DOTS.least || moduleDots > PDF417_DOTS.most) return wrong('the size of pdf417 is 2 to 8');
  const fault = widthFault('pdf417', extent.across, moduleDots, dots);
  if (fault !== undefined) return wrong(fault);
  const { across, down } = extent;
  const size = { across, moduleDots, rowDots: PDF417.rowHeight * moduleDots, height: down * moduleDots };
  const commands = symbols ? pdf417Commands(bytes, moduleDots, level) : undefined;
  return fits(size, commands, () => drawn(shaping).pdf417(bytes, level, across));
}

function linear(
  line: BarcodeLine,
  symbology: LinearSymbology,
  dots: number,
  shaping: Shaping | undefined,
): Parsed<MadeSymbol> {
  const { value, height = BARCODE_HEIGHT, hri = 'below' } = line;
  const data = linearData(symbology, value);
  if (!data.ok) return data;
  const across = linearModules(symbology, data.value);
  const usual = RETAIL.test(symbology) ? RETAIL_DOTS : LINEAR_DOTS;
  const moduleDots = line.moduleWidth ?? largest(usual, symbology, across, dots);
  const fault = widthFault(symbology, across, moduleDots, dots);
  if (fault !== undefined) return wrong(fault);
  const textByNode = symbology === 'gs1-128';
  const style = { height, moduleWidth: moduleDots, hri: textByNode ? ('none' as const) : hri };
  const modules = () => drawn(shaping).bars(symbology, data.value);
  const text = textByNode ? gs1TextOf(value) : [usual === RETAIL_DOTS ? data.value : value];
  const size = { across, moduleDots, rowDots: height, height };
  return fits(size, barcodeCommands(symbology, data.value, style), modules, hri, text, textByNode);
}

function matrix(
  line: BarcodeLine,
  symbology: 'aztec' | 'datamatrix',
  dots: number,
  shaping: Shaping | undefined,
): Parsed<MadeSymbol> {
  const { value, errorCorrection = 'm', size } = line;
  const rows = drawn(shaping)[symbology](value, errorCorrection);
  if (rows === undefined) return wrong(`${symbology} does not hold this value`);
  const across = rows[0]!.length;
  if (size !== undefined && size < MATRIX_DOTS.least) return wrong(`the size of ${symbology} is 2 to 16`);
  const moduleDots = size ?? largest(MATRIX_DOTS, symbology, across, dots);
  const fault = widthFault(symbology, across, moduleDots, dots);
  if (fault !== undefined) return wrong(fault);
  return fits({ across, moduleDots, rowDots: moduleDots, height: rows.length * moduleDots }, undefined, () => rows);
}

/** GS1 DataBar: Omnidirectional of a GTIN alone, if not asked otherwise; any other element string is Expanded, stacked where the paper is narrow. */
function databar(
  line: BarcodeLine,
  symbology: 'gs1-databar' | 'gs1-databar-expanded',
  dots: number,
  shaping: Shaping | undefined,
): Parsed<MadeSymbol> {
  const { value, hri = 'below', moduleWidth } = line;
  const elements = gs1Elements(value);
  if (!elements.ok) return elements;
  const [first, ...others] = elements.value;
  const isOmnidirectional = symbology === 'gs1-databar' && first!.ai === '01' && others.length === 0;
  const most = isOmnidirectional ? undefined : Math.floor(dots / (moduleWidth ?? LINEAR_DOTS.least));
  const rows = drawn(shaping).databar(elements.value, most);
  if (rows === undefined) return wrong(`${symbology} does not hold this value`);
  const across = rows[0]!.length;
  const moduleDots = moduleWidth ?? largest(LINEAR_DOTS, symbology, across, dots);
  const fault = widthFault(symbology, across, moduleDots, dots);
  if (fault !== undefined) return wrong(fault);
  const single = rows.length === 1;
  const height = single
    ? Math.max(line.height ?? BARCODE_HEIGHT, DATABAR_HEIGHT * moduleDots)
    : rows.length * moduleDots;
  const rowDots = single ? height : moduleDots;
  return fits({ across, moduleDots, rowDots, height }, undefined, () => rows, hri, gs1TextOf(value));
}

/** Only an element string that was accepted comes here. */
function gs1TextOf(value: string): readonly string[] {
  const elements = gs1Elements(value);
  return elements.ok ? gs1Text(elements.value) : [];
}

/** The size of a symbol with as many rows of square modules as columns. */
const square = (across: number, moduleDots: number) => ({
  across,
  moduleDots,
  rowDots: moduleDots,
  height: across * moduleDots,
});

function drawn(shaping: Shaping | undefined): NonNullable<Shaping['symbols']> {
  if (shaping?.symbols === undefined) throw new NeedsShaping();
  return shaping.symbols;
}

/** The largest module, in dots, with which a symbol fits a line of `dots`: at most the usual one, at least the least. */
function largest(
  { least, usual }: { readonly least: number; readonly usual: number },
  symbology: PrintedSymbology,
  across: number,
  dots: number,
): number {
  let size = usual;
  while (size > least && symbolDots(symbology, across, size) > dots) size -= 1;
  return size;
}

/** The reason where a symbol is wider than the paper: printers leave it out without an error. */
function widthFault(symbology: PrintedSymbology, across: number, size: number, dots: number): string | undefined {
  const width = symbolDots(symbology, across, size);
  if (width <= dots) return undefined;
  return `${symbology} of ${width} dots (${across} modules of ${size}) is wider than the ${dots} of a line`;
}
