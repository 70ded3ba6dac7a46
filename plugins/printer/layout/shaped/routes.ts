/** Which way a grapheme is printed: a code page, the printer's font of two bytes, or drawn by the node. */
import type { EscposEncoder } from '../../../../codecs/escpos-encoder.ts';
import { isNoCharacter, twinOf, UNKNOWN } from '../../../../codecs/printable.ts';
import { type TwoByteFont, twoByteTable } from '../../../../codecs/two-byte.ts';
import type { Typesetter } from '../typesetter.ts';
import { isEastAsian } from './line-break.ts';

/**
 * `blank`: a space or tab; `printed`: characters that `EscposEncoder.text` takes, one column each, and U+FFFD for what no way
 * has; `two-byte`; `drawn`: by the typesetter.
 */
export type Way = 'blank' | 'printed' | 'two-byte' | 'drawn';

export interface Routed {
  readonly way: Way;
  readonly text: string;
}

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const LETTER_OR_CURRENCY = /^[\p{L}\p{Sc}]/u;
/** A digit or sign in a keycap, which is shown without it. */
const KEYCAP = /^([0-9#*])\u20e3$/;
const HALF_WIDTH = /[\uff61-\uff9f]/;
const NOT_SHOWN: Routed = { way: 'printed', text: UNKNOWN };
/** UTF-16 units of a grapheme that means something: a family of emoji has 11, a letter with 30 marks up to 62. */
const MOST_UNITS = 64;
/** Graphemes whose way is kept. */
const MOST = 4096;

/** Chooses the ways of graphemes for one job. */
export class Routes {
  readonly #encoder: EscposEncoder;
  readonly #twoByte: TwoByteFont;
  readonly #typesetter: Typesetter | undefined;
  readonly #known = new Map<string, readonly Routed[]>();

  constructor(encoder: EscposEncoder, twoByte: TwoByteFont, typesetter: Typesetter | undefined) {
    this.#encoder = encoder;
    this.#twoByte = twoByte;
    this.#typesetter = typesetter;
  }

  /** The parts of a grapheme: none where it is invisible, two where a letter is shown and the marks on it are not. */
  of(grapheme: string): readonly Routed[] {
    let found = this.#known.get(grapheme);
    if (found === undefined) {
      found = this.#choose(grapheme);
      if (this.#known.size >= MOST) this.#known.clear();
      this.#known.set(grapheme, found);
    }
    return found;
  }

  /** The code of a character in the two-byte font, first byte in the upper half; 0 where it has none. */
  twoByteCode(char: string): number {
    if (this.#twoByte === 'none' || char.length > 1) return 0;
    const table = twoByteTable(this.#twoByte);
    const code = char.charCodeAt(0);
    return table[code]! || table[twinOf(code) ?? 0]!;
  }

  #choose(grapheme: string): readonly Routed[] {
    if (grapheme === ' ' || grapheme === '\t') return [{ way: 'blank', text: grapheme }];
    const visible = grapheme.replace(INVISIBLE, '').replace(KEYCAP, '$1');
    if (visible === '') return [];
    // A sign may be younger than the Unicode of the platform, and have a drawing of ours.
    const isKnown = !isNoCharacter(visible) || this.#encoder.routeOf(visible.charCodeAt(0)) !== undefined;
    if (grapheme.length > MOST_UNITS || !isKnown) return [NOT_SHOWN];
    const chars = [...visible];
    const whole = chars.length === 1 ? this.#ofOne(visible, grapheme) : this.#drawn(grapheme, visible);
    if (whole !== undefined) return [whole];
    if (HALF_WIDTH.test(visible)) return [...visible.normalize('NFKC')].flatMap((char) => this.of(char));
    if (visible === '\u3000') return [{ way: 'blank', text: '  ' }];
    const [base = ''] = chars;
    const letter = chars.length > 1 && !isNoCharacter(base) ? this.#ofOne(base, base) : undefined;
    return letter === undefined ? [NOT_SHOWN] : [letter, NOT_SHOWN];
  }

  /** The way of one character; `grapheme` may have a variation selector behind it. */
  #ofOne(char: string, grapheme: string): Routed | undefined {
    const route = char.length > 1 ? undefined : this.#encoder.routeOf(char.charCodeAt(0));
    const printed: Routed | undefined = route === undefined ? undefined : { way: 'printed', text: char };
    if (route === 'page') return printed;
    const wide = isEastAsian(char);
    // A face is better than a block letter, and a narrow letter than one of double width.
    if (!wide && LETTER_OR_CURRENCY.test(char)) return this.#drawn(grapheme, char) ?? printed;
    if (printed !== undefined) return printed;
    if (this.twoByteCode(char) !== 0) return { way: 'two-byte', text: char };
    return this.#drawn(grapheme, char);
  }

  #drawn(grapheme: string, visible: string): Routed | undefined {
    const text = [grapheme, visible].find((each) => this.#typesetter?.draws(each));
    return text === undefined ? undefined : { way: 'drawn', text };
  }
}
