/**
 * ePOS-Print XML (Epson, "ePOS-Print XML User's Manual", M00061700) to commands of a node: text with its sticky attributes,
 * feed, image, barcode, symbol, layout, cut, pulse, command. What a node cannot do is refused by the name of its element.
 */
import { decodeBase64, encodeBase64 } from './base64-node.ts';
import { EposBytes } from './epos-xml-command.ts';
import { rasterLines } from './epos-xml-images.ts';
import { EposRows, type EposStyle } from './epos-xml-rows.ts';
import { barcodeLine, symbolLine } from './epos-xml-symbols.ts';
import {
  EPOS_FONTS,
  type EposAlign,
  EposError,
  type EposLine,
  type EposRemark,
  elementsIn,
  inElement,
  nothingIn,
  textIn,
  XmlAttributes,
} from './epos-xml-values.ts';
import type { XmlElement } from './xml-tree.ts';

export { type EposAlign, EposError, type EposLine } from './epos-xml-values.ts';

/** The namespace of `epos-print` and of what is in it. */
export const EPOS_NAMESPACE = 'http://www.epson-pos.com/schemas/2011/03/epos-print';

/** What a document asks for, in its order: bodies of POST /print, /raw and /drawer/kick, without id and endpoint. */
export type EposCommand =
  | { readonly type: 'print'; readonly lines: EposLine[] }
  | { readonly type: 'raw'; readonly data: string }
  | { readonly type: 'drawer_kick'; readonly pin: 2 | 5; readonly onMs: number };

/** Characters of text in a document: 20 m of paper, of 48 columns, as a print command may take. */
const TEXT_CHARACTERS = 256_000;
/** Most bytes of POST /raw. */
const RAW_BYTES = 8192;
/** A line of text on paper, in dots of 203 dpi. */
const ROW_DOTS = 30;
const MOST_FEED = 255;

/**
 * The commands of an `epos-print` element, for any paper: `fitted` and `eposParts` make them those of one printer. Throws an EposError
 * that names the first element or attribute that a node cannot do, or that is wrong. `remark`: told of what is printed otherwise than
 * it asks for. Text is as wide as the node lays it out; `lang` and `smooth` are left to the printer.
 */
export function eposCommands(document: XmlElement, remark: EposRemark = () => {}): EposCommand[] {
  if (document.name !== 'epos-print' || document.space !== EPOS_NAMESPACE)
    throw new EposError(document.written, document.name === 'epos-print' ? spaceFault(document) : 'is no epos-print');
  new XmlAttributes(document, ['force', 'timeout']).boolean('force');
  const reader = new Reader(remark);
  for (const element of elementsIn(document)) reader.read(element);
  return reader.end();
}

const spaceFault = ({ space }: XmlElement): string =>
  space === '' ? 'has no namespace' : `is in the namespace ${space}`;

class Reader {
  readonly #commands: EposCommand[] = [];
  readonly #remark: EposRemark;
  readonly #rows: EposRows;
  #lines: EposLine[] = [];
  #textCharacters = 0;
  /** Bytes of the `command` elements before. */
  #bytes: EposBytes | undefined;
  #align: EposAlign = 'left';

  constructor(remark: EposRemark) {
    this.#remark = remark;
    this.#rows = new EposRows((line) => this.#add(line), remark);
  }

  read(element: XmlElement, reads = READS): void {
    if (element.space !== EPOS_NAMESPACE) throw new EposError(element.written, spaceFault(element));
    const read = reads[element.name];
    if (read === undefined) throw new EposError(element.written, 'is not known here, or needs what a node cannot do');
    inElement(element, () => {
      if (EMPTY.has(element.name)) nothingIn(element);
      read(this, element);
    });
  }

  text(element: XmlElement): void {
    const attributes = new XmlAttributes(element, TEXT_ATTRIBUTES);
    this.#align = attributes.oneOf('align', ALIGNS) ?? this.#align;
    if (attributes.boolean('rotate')) throw new EposError('rotate', 'text upside down cannot be printed');
    this.#color(attributes, 'text');
    this.#lineSpacing(attributes);
    attributes.boolean('smooth');
    const text = textIn(element);
    this.#textCharacters += text.length;
    if (this.#textCharacters > TEXT_CHARACTERS) throw new EposError('text', `is over ${TEXT_CHARACTERS} characters`);
    this.#rows.text(text, this.#align, styleOf(attributes), attributes.integer('x', 0, 65_535));
  }

  feed(element: XmlElement): void {
    const attributes = new XmlAttributes(element, ['unit', 'line', 'linespc', 'pos']);
    if (attributes.oneOf('pos', ['peeling', 'cutting', 'current_tof', 'next_tof']) !== undefined)
      throw new EposError('pos', 'labels cannot be printed');
    this.#lineSpacing(attributes);
    const [unit, line] = [attributes.integer('unit', 0, 255), attributes.integer('line', 0, 255)];
    // As ESC d and ESC J, it prints what stands on the line, and feeds from the beginning of that row.
    const rows = unit === undefined ? (line ?? 1) : Math.ceil(unit / ROW_DOTS);
    const printed = this.#rows.endRow() ? 1 : 0;
    if (unit !== undefined && unit % ROW_DOTS > 0) this.#remark(`feed: ${unit} dots are fed as lines of ${ROW_DOTS}`);
    if (rows > printed) this.#add({ type: 'feed', lines: Math.min(MOST_FEED, rows - printed) });
  }

  image(element: XmlElement): void {
    const attributes = new XmlAttributes(element, ['width', 'height', 'color', 'align', 'mode']);
    this.#align = attributes.oneOf('align', ALIGNS) ?? this.#align;
    this.#color(attributes, 'an image');
    const [width, height] = [attributes.integer('width', 1, 2040), attributes.integer('height', 1, 65_535)];
    if (width === undefined || height === undefined) throw new EposError('image', 'needs width and height');
    const mode = attributes.oneOf('mode', ['mono', 'gray16']) ?? 'mono';
    const data = decodeBase64(textIn(element).replace(/\s+/g, ''));
    if (data === undefined) throw new EposError('image', 'its data are not base64');
    this.#rows.endRow();
    for (const line of rasterLines({ width, height, data, mode })) this.#add(aligned(line, this.#align));
  }

  symbol(element: XmlElement, lineOf: typeof barcodeLine): void {
    const { align, line } = lineOf(element, this.#remark);
    this.#align = align ?? this.#align;
    this.#rows.endRow();
    this.#add(aligned(line, this.#align));
  }

  layout(element: XmlElement): void {
    const attributes = new XmlAttributes(element, LAYOUT_ATTRIBUTES);
    const type = attributes.oneOf('type', ['receipt', 'receipt_bm', 'label', 'label_bm']) ?? 'receipt';
    if (type !== 'receipt') throw new EposError('type', `${type} needs paper with marks or gaps`);
    attributes.integer('width', 290, 800);
    // They say where a label or a mark is.
    for (const place of LAYOUT_PLACES) attributes.integer(place, -SHORT - 1, SHORT);
    if ((attributes.integer('height', 0, 1550) ?? 0) > 0)
      throw new EposError('height', 'needs paper with marks or gaps');
  }

  /** Page mode as far as it is rows from the top of the paper on: a place, a direction or a frame needs a page in the printer. */
  page(element: XmlElement): void {
    new XmlAttributes(element, []);
    for (const child of elementsIn(element)) this.read(child, PAGE_READS);
    this.#rows.endRow();
  }

  area(element: XmlElement): void {
    const attributes = new XmlAttributes(element, ['x', 'y', 'width', 'height']);
    if ((attributes.integer('x', 0, 65_535) ?? 0) > 0 || (attributes.integer('y', 0, 65_535) ?? 0) > 0)
      throw new EposError('area', 'another one than from the corner of the page cannot be printed');
    for (const side of ['width', 'height']) attributes.integer(side, 1, 65_535);
  }

  direction(element: XmlElement): void {
    const directions = ['left_to_right', 'bottom_to_top', 'right_to_left', 'top_to_bottom'] as const;
    if ((new XmlAttributes(element, ['dir']).oneOf('dir', directions) ?? 'left_to_right') !== 'left_to_right')
      throw new EposError('dir', 'text cannot be turned');
  }

  cut(element: XmlElement): void {
    const type = new XmlAttributes(element, ['type']).oneOf('type', CUTS) ?? 'feed';
    this.#rows.endRow();
    if (type.startsWith('no_feed')) this.#remark(`cut: ${type} is cut behind the feed of every cut`);
    if (type.startsWith('reserve')) this.#remark(`cut: ${type} is cut at once`);
    this.#add({ type: 'cut', mode: type.endsWith('_fullcut') ? 'full' : 'partial' });
  }

  pulse(element: XmlElement): void {
    const attributes = new XmlAttributes(element, ['drawer', 'time']);
    const drawer = attributes.oneOf('drawer', ['drawer_1', 'drawer_2']) ?? 'drawer_1';
    const time = attributes.oneOf('time', PULSES) ?? 'pulse_100';
    this.#endPrint();
    this.#endBytes(false);
    this.#commands.push({ type: 'drawer_kick', pin: drawer === 'drawer_1' ? 2 : 5, onMs: Number(time.slice(6)) });
  }

  command(element: XmlElement): void {
    new XmlAttributes(element, []);
    const digits = textIn(element).replace(/\s+/g, '');
    // Before it is matched: the matcher keeps a place to go back to for each pair, and has room for some millions.
    if (digits.length > 2 * RAW_BYTES) throw new EposError('command', `has more than ${RAW_BYTES} bytes`);
    if (!/^([\da-f]{2})+$/i.test(digits)) throw new EposError('command', 'is not pairs of hexadecimal digits');
    const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
      Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
    );
    this.#endPrint();
    // Those in a row are pieces of one job, as a node follows them.
    this.#bytes ??= new EposBytes();
    this.#bytes.push(bytes);
    this.#commands.push({ type: 'raw', data: encodeBase64(bytes) });
  }

  end(): EposCommand[] {
    this.#endPrint();
    this.#endBytes(false);
    return this.#commands;
  }

  #color(attributes: XmlAttributes, what: string): void {
    const color = attributes.oneOf('color', COLORS);
    if (color === 'none') throw new EposError('color', `${what} without colour cannot be printed`);
    if (color !== undefined && color !== 'color_1') this.#remark(`color: ${color} is printed as color_1`);
  }

  #lineSpacing(attributes: XmlAttributes): void {
    const dots = attributes.integer('linespc', 0, 255);
    if (dots !== undefined && dots !== ROW_DOTS) this.#remark(`linespc: rows are ${ROW_DOTS} dots apart, not ${dots}`);
  }

  #add(line: EposLine): void {
    this.#lines.push(line);
  }

  #endPrint(): void {
    this.#rows.end();
    if (this.#lines.length > 0) {
      this.#endBytes(this.#lines.some(({ type }) => type === 'text' || type === 'columns'));
      this.#commands.push({ type: 'print', lines: this.#lines });
    }
    this.#lines = [];
  }

  #endBytes(text: boolean): void {
    this.#bytes?.end(text, this.#remark);
    this.#bytes = undefined;
  }
}

const READS: Readonly<Record<string, undefined | ((reader: Reader, element: XmlElement) => void)>> = Object.assign(
  Object.create(null),
  {
    text: (reader, element) => reader.text(element),
    feed: (reader, element) => reader.feed(element),
    image: (reader, element) => reader.image(element),
    barcode: (reader, element) => reader.symbol(element, barcodeLine),
    symbol: (reader, element) => reader.symbol(element, symbolLine),
    layout: (reader, element) => reader.layout(element),
    page: (reader, element) => reader.page(element),
    cut: (reader, element) => reader.cut(element),
    pulse: (reader, element) => reader.pulse(element),
    command: (reader, element) => reader.command(element),
  } satisfies typeof READS,
);

const PAGE_READS: typeof READS = Object.assign(Object.create(null), READS, {
  area: (reader, element) => reader.area(element),
  direction: (reader, element) => reader.direction(element),
  page: undefined,
} satisfies Record<string, (typeof READS)[string] | undefined>);

/** Elements that have attributes alone. */
const EMPTY: ReadonlySet<string> = new Set(['feed', 'layout', 'cut', 'pulse', 'area', 'direction']);

const ALIGNS = ['left', 'center', 'right'] as const;
const COLORS = ['none', 'color_1', 'color_2', 'color_3', 'color_4'] as const;
const CUTS = ['no_feed', 'feed', 'reserve', 'no_feed_fullcut', 'feed_fullcut', 'reserve_fullcut'] as const;
const PULSES = ['pulse_100', 'pulse_200', 'pulse_300', 'pulse_400', 'pulse_500'] as const;
const TEXT_ATTRIBUTES = [
  ...['lang', 'font', 'smooth', 'dw', 'dh', 'width', 'height', 'reverse', 'ul', 'em', 'color', 'x', 'align', 'linespc'],
  'rotate',
];
const LAYOUT_PLACES = ['margin-top', 'margin-bottom', 'offset-cut', 'offset-label'];
const LAYOUT_ATTRIBUTES = ['type', 'width', 'height', ...LAYOUT_PLACES];
/** Most of xs:short. */
const SHORT = 32_767;

/** The style that these attributes of a `text` set; what they leave out stays as it was. */
function styleOf(attributes: XmlAttributes): Partial<EposStyle> {
  const font = attributes.oneOf('font', EPOS_FONTS);
  const [dw, dh] = [attributes.boolean('dw'), attributes.boolean('dh')];
  const width = attributes.integer('width', 1, 8) ?? (dw === undefined ? undefined : dw ? 2 : 1);
  const height = attributes.integer('height', 1, 8) ?? (dh === undefined ? undefined : dh ? 2 : 1);
  const [bold, underline, invert] = [attributes.boolean('em'), attributes.boolean('ul'), attributes.boolean('reverse')];
  return {
    // Printers have A and B; the others are smaller than A, too.
    ...(font !== undefined && { font: font === 'font_a' || font === 'special_a' ? 'a' : 'b' }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(bold !== undefined && { bold }),
    ...(underline !== undefined && { underline }),
    ...(invert !== undefined && { invert }),
  };
}

const aligned = <Line extends object>(line: Line, align: EposAlign): Line & { align?: EposAlign } =>
  align === 'left' ? line : { ...line, align };
