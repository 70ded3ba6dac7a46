/** What the elements of ePOS-Print XML share: values of attributes, errors that name their place, lines of a print command. */
import { elementsOf, textOfElement, type XmlElement } from './xml-tree.ts';

export type EposAlign = 'left' | 'center' | 'right';

/** A line of a print command (POST /print), of the kinds that come of this XML. */
export type EposLine =
  | {
      type: 'text';
      value: string;
      bold?: boolean;
      underline?: boolean;
      invert?: boolean;
      align?: EposAlign;
      size?: string;
      font?: 'a' | 'b';
    }
  | { type: 'columns'; cells: { value: string; width?: number; bold?: boolean }[] }
  | { type: 'feed'; lines: number }
  | { type: 'cut'; mode: 'full' | 'partial' }
  | { type: 'raster'; width: number; height: number; data: string; align?: EposAlign }
  | EposSymbol;

/** A bar code or two-dimensional symbol. */
export interface EposSymbol {
  type: 'barcode';
  symbology:
    | ('qr' | 'pdf417' | 'ean13' | 'ean8' | 'upca' | 'upce' | 'code39' | 'code93' | 'code128' | 'itf' | 'codabar')
    | ('gs1-128' | 'gs1-databar' | 'gs1-databar-expanded' | 'datamatrix' | 'aztec');
  value: string;
  align?: EposAlign;
  height?: number;
  moduleWidth?: number;
  hri?: 'none' | 'above' | 'below' | 'both';
  size?: number;
  errorCorrection?: 'l' | 'm' | 'q' | 'h';
}

/** Fonts of text, and of the digits of a bar code. */
export const EPOS_FONTS = ['font_a', 'font_b', 'font_c', 'font_d', 'font_e', 'special_a', 'special_b'] as const;

/** `devid` of the printer itself. */
export const EPOS_DEVICE = 'local_printer';
/** `printjobid`: as the manuals have it, up to 30 letters, digits, hyphens, underscores, full stops. */
export const EPOS_JOB_ID: RegExp = /^[\w.-]{1,64}$/;
/** One that a job can be told by, whatever it is: of characters that XML and a log have, up to a bound. */
export const EPOS_JOB_NAME: RegExp = /^\P{C}{1,512}$/u;

/** Told of what is printed otherwise than asked for; the words begin with the place. */
export type EposRemark = (words: string) => void;

/** Most different remarks about one document. */
const MOST_REMARKS = 8;

/** What is printed otherwise than asked for, each once. */
export class EposRemarks {
  readonly #words = new Set<string>();

  add: EposRemark = (words) => {
    if (this.#words.size < MOST_REMARKS) this.#words.add(words);
  };

  /** The remarks as a property to spread into an object; none where there are none. */
  get found(): { readonly remarks?: string } {
    return this.#words.size === 0 ? {} : { remarks: [...this.#words].join('; ') };
  }
}

/** A document that a node cannot print. The message begins with the place: an element, or an element and its attribute. */
export class EposError extends Error {
  constructor(place: string, words: string) {
    super(`${place.slice(0, 64)}: ${words.slice(0, 160)}`);
  }
}

/** Does `read`; what it throws names the element, too. */
export function inElement(element: XmlElement, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof EposError) || error.message.startsWith(`${element.name}: `)) throw error;
    throw new EposError(element.name, error.message);
  }
}

/** The text of an element of simple content. Throws an EposError for an element in it. */
export function textIn(element: XmlElement): string {
  const text = textOfElement(element);
  if (text === undefined) throw new EposError(element.name, `has the element ${elementsOf(element)[0]?.written} in it`);
  return text;
}

/** The elements of an element of complex content. Throws an EposError for text between them. */
export function elementsIn(element: XmlElement): XmlElement[] {
  const { content, written } = element;
  if (content.some((each) => typeof each === 'string' && each.trim() !== ''))
    throw new EposError(written, 'has text outside of its elements');
  return elementsOf(element);
}

/** Throws an EposError for whatever is in an element of empty content. */
export function nothingIn(element: XmlElement): void {
  if (textIn(element).trim() !== '') throw new EposError(element.name, 'has text in it');
}

/** The attributes of an element, as XML Schema has their types. Each throws an EposError for a value of another. */
export class XmlAttributes {
  readonly #values: ReadonlyMap<string, string>;

  /** Throws an EposError for an attribute that is not one of these. */
  constructor({ attributes }: XmlElement, known: readonly string[]) {
    this.#values = attributes;
    for (const name of attributes.keys()) if (!known.includes(name)) throw new EposError(name, 'is not known here');
  }

  boolean(name: string): boolean | undefined {
    const value = this.#oneOf(name, this.#collapsed(name), ['true', 'false', '1', '0']);
    return value === undefined ? undefined : value === 'true' || value === '1';
  }

  integer(name: string, least: number, most: number): number | undefined {
    const text = this.#collapsed(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw this.#wrong(name, `a whole number from ${least} to ${most}`);
    return value;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    return this.#oneOf(name, this.#values.get(name), values);
  }

  /** Whether a value is there, and no number. */
  isWord(name: string): boolean {
    return /[a-z]/i.test(this.#values.get(name) ?? '');
  }

  #oneOf<Value extends string>(name: string, text: string | undefined, values: readonly Value[]): Value | undefined {
    if (text === undefined) return undefined;
    const found = values.find((value) => value === text);
    if (found === undefined) throw this.#wrong(name, `one of ${values.join(', ')}`);
    return found;
  }

  /** The value of a number or a truth value, whose white space around it is none ("XML Schema Part 2", 4.3.6). */
  #collapsed(name: string): string | undefined {
    return this.#values.get(name)?.trim();
  }

  #wrong(name: string, expected: string): EposError {
    return new EposError(name, `${JSON.stringify(this.#values.get(name)?.slice(0, 32))} is not ${expected}`);
  }
}
