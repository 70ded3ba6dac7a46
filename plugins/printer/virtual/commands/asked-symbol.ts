/**
 * The symbols of GS k and GS ( k that the drawing thread draws for the paper: GS1 DataBar, Aztec Code, Data Matrix. Settings and
 * their first values: Epson TM-T88VII command reference and Star PRNT command specifications, GS ( k; data of GS1 DataBar Expanded:
 * Epson TM-C3500 technical reference, "Barcode data".
 */
import type { AskedSymbol } from '../../contract/twin.ts';
import type { AskedPrint } from '../paper/asked-symbols.ts';
import type { AztecSetup, DataBarSetup, DataMatrixSetup, Modes } from '../state/modes.ts';
import { checkOf } from '../symbols/code128.ts';
import { digit } from './command.ts';

/** GS1 DataBar of GS k 75 to 78, and of GS ( k 51 by the first byte of its data. */
const LINEAR = ['databaromni', 'databartruncated', 'databarlimited', 'databarexpanded'] as const;
const STACKED = { 72: 'databarstacked', 73: 'databarstackedomni', 76: 'databarexpandedstacked' } as const;

/** Modules of a pair of characters with their finder pattern, and of the guards of a row (ISO/IEC 24724). */
const PAIR = 49;
const GUARDS = 4;

const charactersOf = (data: Uint8Array): string => String.fromCharCode(...data);

/**
 * Identifiers stand in brackets, which are only printed below; FNC1 ({1) stands where it must, and `*` is skipped. A number
 * comes without its identifier and check digit.
 */
function elementsOf(type: AskedSymbol['type'], data: string): string {
  if (type.startsWith('databarexpanded')) return data.replaceAll(/\{1|\*/g, '');
  const digits = data.padStart(13, '0');
  return `(01)${digits}${checkOf(digits)}`;
}

function dataBar(
  type: AskedSymbol['type'],
  data: Uint8Array,
  module: number,
  options: AskedSymbol['options'],
): AskedPrint {
  const text = elementsOf(type, charactersOf(data));
  return { asked: { type, text, options }, symbology: 'gs1-databar', text, module, bars: !('segments' in options) };
}

/** GS k 75 to 78; undefined for another number. */
export function linearDataBar(m: number, data: Uint8Array, { moduleWidth }: Modes): AskedPrint | undefined {
  const type = LINEAR[m - 75];
  return type && { ...dataBar(type, data, moduleWidth, {}), bars: true };
}

/** More bytes than any of these holds: Aztec Code takes 3,832 digits (ISO/IEC 24778). */
const MOST_BYTES = 3832;

/** What GS ( k with this cn prints of its data; undefined where it is drawn in no other place. */
export function askedSymbol(cn: number, data: Uint8Array, modes: Modes): AskedPrint | undefined {
  if (data.length > MOST_BYTES) return undefined;
  if (cn === 51) return stackedDataBar(data, modes.dataBar);
  if (cn === 53) return aztec(data, modes.aztec);
  return cn === 54 ? dataMatrix(data, modes.dataMatrix) : undefined;
}

function stackedDataBar(data: Uint8Array, { module, most }: DataBarSetup): AskedPrint | undefined {
  const type = STACKED[data[0] as keyof typeof STACKED];
  if (type === undefined) return undefined;
  const segments = 2 * Math.max(1, Math.floor((most / module - GUARDS) / PAIR));
  const options = type === 'databarexpandedstacked' ? { segments } : {};
  return { ...dataBar(type, data.subarray(1), module, options), bars: false };
}

function aztec(data: Uint8Array, { module, correction, compact, layers }: AztecSetup): AskedPrint {
  const text = charactersOf(data);
  const options = { eclevel: correction, format: compact ? 'compact' : 'full', ...(layers > 0 && { layers }) };
  return { asked: { type: 'azteccode', text, options }, symbology: 'aztec', text, module, bars: false };
}

function dataMatrix(data: Uint8Array, { module, rows, columns, rectangle }: DataMatrixSetup): AskedPrint {
  const text = charactersOf(data);
  const version = rows > 0 ? { version: `${rows}x${columns > 0 ? columns : rows}` } : {};
  const options = { ...(rectangle && { format: 'rectangle' }), ...version };
  return { asked: { type: 'datamatrix', text, options }, symbology: 'datamatrix', text, module, bars: false };
}

/** What a function of GS ( k sets of these symbols; false where it sets nothing. A value out of range does not. */
export function setAsked(modes: Modes, [cn, fn, a = 0, b = 0, c = 0]: Uint8Array): boolean {
  const within = (least: number, most: number) => a >= least && a <= most;
  if (cn === 51 && fn === 67 && within(2, 8)) modes.dataBar = { ...modes.dataBar, module: a };
  else if (cn === 51 && fn === 71) modes.dataBar = { ...modes.dataBar, most: a + 256 * b };
  else if (cn === 53 && fn === 66 && digit(a) <= 1)
    modes.aztec = { ...modes.aztec, compact: digit(a) === 1, layers: b };
  else if (cn === 53 && fn === 67 && within(2, 16)) modes.aztec = { ...modes.aztec, module: a };
  else if (cn === 53 && fn === 69 && within(5, 95)) modes.aztec = { ...modes.aztec, correction: a };
  else if (cn === 54 && fn === 66 && digit(a) <= 1)
    modes.dataMatrix = { ...modes.dataMatrix, rectangle: digit(a) === 1, rows: b, columns: c };
  else if (cn === 54 && fn === 67 && within(2, 16)) modes.dataMatrix = { ...modes.dataMatrix, module: a };
  else return false;
  return true;
}
