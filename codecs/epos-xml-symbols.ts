/** Bar codes and two-dimensional symbols of ePOS-Print XML as barcode lines. */

import {
  EPOS_FONTS,
  type EposAlign,
  EposError,
  type EposRemark,
  type EposSymbol,
  textIn,
  XmlAttributes,
} from './epos-xml-values.ts';
import { checkDigit } from './gs1.ts';
import type { XmlElement } from './xml-tree.ts';

interface Placed {
  readonly align: EposAlign | undefined;
  readonly line: EposSymbol;
}

const ALIGNS = ['left', 'center', 'right'] as const;
const HRI = ['none', 'above', 'below', 'both'] as const;
const BARCODES = {
  ...({ upc_a: 'upca', upc_e: 'upce', ean13: 'ean13', jan13: 'ean13', ean8: 'ean8', jan8: 'ean8' } as const),
  ...({ code39: 'code39', itf: 'itf', codabar: 'codabar', code93: 'code93', code128: 'code128' } as const),
  ...({ code128_auto: 'code128', gs1_128: 'gs1-128', gs1_databar_omnidirectional: 'gs1-databar' } as const),
  ...({ gs1_databar_expanded: 'gs1-databar-expanded', gs1_databar_truncated: 'gs1-databar' } as const),
  gs1_databar_limited: 'gs1-databar',
} as const;
const SYMBOLS = {
  ...({ qrcode_model_2: 'qr', pdf417_standard: 'pdf417', datamatrix_square: 'datamatrix' } as const),
  ...({ azteccode_fullrange: 'aztec', azteccode_compact: 'aztec' } as const),
  ...({ qrcode_model_1: 'qr', qrcode_micro: 'qr', pdf417_truncated: 'pdf417' } as const),
  ...({ datamatrix_rectangle_8: 'datamatrix', datamatrix_rectangle_12: 'datamatrix' } as const),
  datamatrix_rectangle_16: 'datamatrix',
  ...({ gs1_databar_stacked: 'gs1-databar', gs1_databar_stacked_omnidirectional: 'gs1-databar' } as const),
  gs1_databar_expanded_stacked: 'gs1-databar-expanded',
} as const;
const OMNIDIRECTIONAL = 'gs1_databar_omnidirectional';
/** Kinds in place of which another one is printed, from which readers get the same data. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['qrcode_model_1', 'qrcode_model_2'],
  ['qrcode_micro', 'qrcode_model_2'],
  ['pdf417_truncated', 'pdf417_standard'],
  ...['8', '12', '16'].map((rows) => [`datamatrix_rectangle_${rows}`, 'datamatrix_square'] as const),
  ...['truncated', 'limited', 'stacked', 'stacked_omnidirectional'].map(
    (kind) => [`gs1_databar_${kind}`, OMNIDIRECTIONAL] as const,
  ),
]);
const QR_LEVELS = { level_l: 'l', level_m: 'm', level_q: 'q', level_h: 'h' } as const;
/** The levels 0 to 8 of PDF417 (ISO/IEC 15438) by the node's names for 2, 4, 5 and 6. */
const PDF417_LEVELS = {
  ...({ level_0: 'l', level_1: 'l', level_2: 'l', level_3: 'm', level_4: 'm' } as const),
  ...({ level_5: 'q', level_6: 'h', level_7: 'h', level_8: 'h' } as const),
} as const;

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] => Object.keys(table) as Key[];

/** The line of a `barcode`; `remark`: told where it becomes another kind. Throws an EposError for a kind that a node does not have. */
export function barcodeLine(element: XmlElement, remark: EposRemark): Placed {
  const attributes = new XmlAttributes(element, ['type', 'hri', 'font', 'width', 'height', 'align', 'rotate']);
  const type = attributes.oneOf('type', keysOf(BARCODES));
  if (type === undefined) throw new EposError('type', 'is needed');
  if (attributes.boolean('rotate')) throw new EposError('rotate', 'a bar code upside down cannot be printed');
  // The node has one for these digits.
  attributes.oneOf('font', EPOS_FONTS);
  const value = barcodeValue(type, dataOf(element, unbroken));
  if (value === '') throw new EposError('barcode', 'has no data');
  remarkKind(type, remark);
  const [moduleWidth, height] = [attributes.integer('width', 2, 6), attributes.integer('height', 1, 255)];
  const line: EposSymbol = {
    type: 'barcode',
    symbology: BARCODES[type],
    value,
    hri: attributes.oneOf('hri', HRI) ?? 'none',
    ...(moduleWidth !== undefined && { moduleWidth }),
    ...(height !== undefined && { height }),
  };
  return { align: attributes.oneOf('align', ALIGNS), line };
}

/** The line of a `symbol`; `remark`: told where it becomes another kind. Throws an EposError for a kind that a node does not have. */
export function symbolLine(element: XmlElement, remark: EposRemark): Placed {
  const attributes = new XmlAttributes(element, ['type', 'level', 'width', 'height', 'size', 'align', 'rotate']);
  const type = attributes.oneOf('type', keysOf(SYMBOLS));
  if (type === undefined) throw new EposError('type', 'is needed');
  if (attributes.boolean('rotate')) throw new EposError('rotate', 'a symbol upside down cannot be printed');
  const symbology = SYMBOLS[type];
  const size = attributes.integer('width', 1, 16);
  // The node chooses these by the value and the paper.
  attributes.integer('height', 0, 255);
  attributes.integer('size', 0, 65_535);
  const errorCorrection = levelOf(symbology, attributes);
  const value = databarValue(type, dataOf(element));
  remarkKind(type, remark);
  const line: EposSymbol = {
    type: 'barcode',
    symbology,
    value,
    ...(size !== undefined && { size }),
    ...(errorCorrection !== undefined && { errorCorrection }),
  };
  return { align: attributes.oneOf('align', ALIGNS), line };
}

function remarkKind(type: string, remark: EposRemark): void {
  const instead = INSTEAD.get(type);
  if (instead !== undefined) remark(`type: ${type} is printed as ${instead}`);
  else if (type === 'gs1_databar_expanded_stacked')
    remark(`type: ${type} is in one row where the paper is wide enough`);
}

function levelOf(symbology: EposSymbol['symbology'], attributes: XmlAttributes): EposSymbol['errorCorrection'] {
  if (symbology === 'qr') {
    const level = attributes.oneOf('level', ['default', ...keysOf(QR_LEVELS)]);
    return level === undefined || level === 'default' ? undefined : QR_LEVELS[level];
  }
  if (symbology === 'pdf417') {
    const level = attributes.oneOf('level', ['default', ...keysOf(PDF417_LEVELS)]);
    return level === undefined || level === 'default' ? undefined : PDF417_LEVELS[level];
  }
  // The node chooses it; of Aztec it is a percentage.
  if (attributes.isWord('level'))
    attributes.oneOf('level', ['default', ...keysOf(QR_LEVELS), ...keysOf(PDF417_LEVELS)]);
  else attributes.integer('level', 0, 100);
  return undefined;
}

/**
 * A text without line breaks around it, in which a bar code has none: XML is broken into lines, and the manual's own example ends in a
 * break. What is white space and stands beside them goes with them; without a break it is data.
 */
function unbroken(text: string): string {
  const begin = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  const breakAt = text.slice(end).search(/[\r\n]/);
  return text.slice(/^[\t ]*[\r\n]/.test(text) ? begin : 0, breakAt < 0 ? text.length : end + breakAt);
}

/** The data without what is not `kept` of them, in which \xnn is a byte and \\ a backslash. */
function dataOf(element: XmlElement, kept = (text: string): string => text): string {
  const whole = textIn(element);
  if (whole.length > 7089) throw new EposError(element.name, 'has too many data');
  const text = kept(whole);
  if (text === '') throw new EposError(element.name, 'has no data');
  return text.replace(/\\(?:x([\da-f]{2})|\\)/gi, (_, digits?: string) =>
    digits === undefined ? '\\' : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function barcodeValue(type: keyof typeof BARCODES, value: string): string {
  if (type === 'code128') return code128Value(value);
  return databarValue(type, value);
}

/** The data of a symbol: GS1 DataBar is sent its GTIN without identifier and check digit, and they are added here. */
const databarValue = (type: string, value: string): string =>
  type.startsWith('gs1_databar') && !type.includes('expanded') && /^\d{13}$/.test(value)
    ? `(01)${value}${checkDigit(value)}`
    : value;

/** Code 128 as its printers take it: {A, {B and {C choose the code set, {{ is a brace; set C has a byte for two digits. */
function code128Value(value: string): string {
  let set = '';
  let text = '';
  for (let at = 0; at < value.length; at += 1) {
    const char = value.charAt(at);
    if (char !== '{') {
      if (set === 'C' && char.charCodeAt(0) > 99) throw new EposError('barcode', 'has no such digits in code set C');
      text += set === 'C' ? String(char.charCodeAt(0)).padStart(2, '0') : char;
      continue;
    }
    at += 1;
    const next = value.charAt(at);
    if (next === '{') text += '{';
    else if (next === 'A' || next === 'B' || next === 'C') set = next;
    else throw new EposError('barcode', `{${next} of Code 128 cannot be printed`);
  }
  return text;
}
