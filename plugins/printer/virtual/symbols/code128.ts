/**
 * Code 128 (ISO/IEC 15417) as the commands of a printer have it: GS k 73 names its code sets, 74 is GS1-128, 79 chooses the sets
 * itself (Epson TM-T88VI command manual).
 */
/** A symbol of bars: '1' is a dark module. */
export interface LinearSymbol {
  readonly bars: string;
  /** Human readable text. */
  readonly text: string;
}

export type Code128 = 'code128' | 'gs1-128' | 'code128-auto';

const CODE128 = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 ' +
  '123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 ' +
  '131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 ' +
  '213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 ' +
  '141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 ' +
  '124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 ' +
  '411131 211412 211214 211232 2331112'
).split(' ');
const START = { A: 103, B: 104, C: 105 } as const;
/** Symbol values of FNC 1 to 4, of the shift and of the change to another set, as the current set has them. */
const CODE128_SPECIAL: Readonly<Record<'A' | 'B' | 'C', Readonly<Record<string, number>>>> = {
  A: { 1: 102, 2: 97, 3: 96, 4: 101, S: 98, B: 100, C: 99 },
  B: { 1: 102, 2: 97, 3: 96, 4: 100, S: 98, A: 101, C: 99 },
  C: { 1: 102, A: 101, B: 100 },
};

/** Data of GS k 73: begins with {A, {B or {C; { introduces a special character, {{ is a brace; set C holds bytes 0 to 99. */
export const code128 = (data: string): LinearSymbol | undefined => {
  const first = data[0] === '{' ? data[1] : undefined;
  if (first !== 'A' && first !== 'B' && first !== 'C') return undefined;
  let set: 'A' | 'B' | 'C' = first;
  let shift = false;
  const values: number[] = [START[set]];
  let text = '';
  for (let at = 2; at < data.length; at += 1) {
    let code = data.charCodeAt(at);
    if (data[at] === '{') {
      at += 1;
      const special = data[at] ?? '';
      if (special !== '{') {
        const value = CODE128_SPECIAL[set][special];
        if (value === undefined) return undefined;
        values.push(value);
        if (special === 'A' || special === 'B' || special === 'C') set = special;
        shift = special === 'S';
        continue;
      }
      code = 0x7b;
    }
    const current: 'A' | 'B' | 'C' = shift ? (set === 'A' ? 'B' : 'A') : set;
    shift = false;
    const value = current === 'C' ? code : code < 0x20 ? code + 64 : code - 0x20;
    const held = current === 'C' ? code <= 99 : current === 'A' ? code < 0x60 : code >= 0x20;
    if (!held) return undefined;
    values.push(value);
    text += current === 'C' ? String(code).padStart(2, '0') : code < 0x20 ? ' ' : String.fromCharCode(code);
  }
  return { text, bars: barsOf(values) };
};

/** Bars and spaces of a code, with check and stop character. */
const barsOf = (values: readonly number[]): string => {
  const sum = values.reduce((total, value, at) => total + value * Math.max(1, at), 0);
  const widths = [...values, sum % 103, 106].map((value) => CODE128[value]!).join('');
  return [...widths].map((width, at) => (at % 2 === 0 ? '1' : '0').repeat(Number(width))).join('');
};

/** A byte of data, or FNC1 to FNC4. */
type Token = number | 'FNC1' | 'FNC3';

const isDigit = (token: Token | undefined): boolean => typeof token === 'number' && token >= 0x30 && token <= 0x39;

/** How many of these tokens set C can hold: digits in pairs, and FNC1 between pairs. */
const heldByC = (tokens: readonly Token[], from: number): number => {
  let at = from;
  while (at < tokens.length) {
    if (tokens[at] === 'FNC1') at += 1;
    else if (isDigit(tokens[at]) && isDigit(tokens[at + 1])) at += 2;
    else break;
  }
  return at - from;
};

/** Set C for four and more digits, set A for control characters, set B for the rest; bytes above 7F behind FNC4. */
const chosen = (tokens: readonly Token[]): string => {
  const values: number[] = [];
  let set: 'A' | 'B' | 'C' | undefined;
  const enter = (next: 'A' | 'B' | 'C'): void => {
    if (set !== next) values.push(set === undefined ? START[next] : CODE128_SPECIAL[set][next]!);
    set = next;
  };
  for (let at = 0; at < tokens.length; ) {
    const pairs = heldByC(tokens, at);
    if (pairs >= 4 || (set === 'C' && pairs >= 1)) {
      enter('C');
      for (const end = at + pairs; at < end; at += tokens[at] === 'FNC1' ? 1 : 2) {
        values.push(
          tokens[at] === 'FNC1' ? 102 : Number(String.fromCharCode(Number(tokens[at]), Number(tokens[at + 1]))),
        );
      }
      continue;
    }
    const token = tokens[at]!;
    const code = typeof token === 'number' ? token & 0x7f : 0x20;
    enter(code < 0x20 ? 'A' : code >= 0x60 || set === undefined || set === 'C' ? 'B' : set);
    const special = CODE128_SPECIAL[set ?? 'B'];
    if (typeof token !== 'number') values.push(special[token === 'FNC1' ? '1' : '3']!);
    else {
      if (token >= 0x80) values.push(special['4']!);
      values.push(code < 0x20 ? code + 64 : code - 0x20);
    }
    at += 1;
  }
  return barsOf(values);
};

/** Data of GS k 79: any byte, and the printer chooses the sets. */
export const code128Auto = (data: string): LinearSymbol | undefined => {
  if (data === '') return undefined;
  return {
    text: data.replaceAll(/[^ -~]/g, ' '),
    bars: chosen([...data].map((char) => char.charCodeAt(0))),
  };
};

/** Modulo 10, as in the number of an article (GS1 General Specifications, 7.9). */
export const checkOf = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10);
};

/**
 * Data of GS k 74: brackets around an application identifier are only printed below, `*` is the check digit of the digits
 * before it, `{1` and `{3` are functions, `{(`, `{)`, `{*` and `{{` the character. FNC1 behind the start is the printer's.
 */
export const gs1of128 = (data: string): LinearSymbol | undefined => {
  const tokens: Token[] = ['FNC1'];
  let text = '';
  let element = '';
  for (let at = 0; at < data.length; at += 1) {
    let char = data[at]!;
    if (char === '{') {
      at += 1;
      char = data[at] ?? '';
      if (char === '1' || char === '3') {
        tokens.push(char === '1' ? 'FNC1' : 'FNC3');
        continue;
      }
      if (char === '' || !'(){*'.includes(char)) return undefined;
    } else if (char === '(' || char === ')') {
      text += char;
      element = '';
      continue;
    } else if (char === '*') char = checkOf(element);
    else if (char === ' ') continue;
    element += char;
    text += char;
    tokens.push(char.charCodeAt(0));
  }
  return tokens.length === 1 ? undefined : { text, bars: chosen(tokens) };
};
