/**
 * GS1 element strings: application identifiers with their data (GS1 General Specifications, section 3; in
 * brackets as people write them: `(01)04012345678901(10)ABC`).
 */
import type { Parsed } from './codec.ts';
import { checkDigit } from './gs1.ts';

export interface Element {
  readonly ai: string;
  readonly data: string;
}

/** Ends data of variable length; in Code 128 it also begins the symbol. No character of ASCII. */
export const FNC1 = '\u00f1';

/**
 * What the data of identifiers consist of. `n` digits, `x` the 82 characters of figure 7.11-1, `y` the 39 of 7.11-2, `z` those
 * of base 64; `6` exactly, `..6` up to so many, at least one; `c` behind digits: the last one is their check digit; `d`: YYMMDD,
 * DD may be 00; `?`: may be left out. `310-316.5` are identifiers with one more digit, 0 to 5.
 */
const FORMATS: Readonly<Record<string, string>> = {
  '00': 'n18c',
  '01 02 03': 'n14c',
  '10': 'x..20',
  '11 12 13 15 16 17': 'n6d',
  '20': 'n2',
  '21 22': 'x..20',
  '235': 'x..28',
  '240 241 250 251': 'x..30',
  '242': 'n..6',
  '243 254': 'x..20',
  '253': 'n13c x..17?',
  '255': 'n13c n..12?',
  '30 37': 'n..8',
  '310-316.5 320-337.5 340-357.5 360-369.5': 'n6',
  '390.9 392.9': 'n..15',
  '391.9 393.9': 'n3 n..15',
  '3940-3943': 'n4',
  '3950-3955': 'n6',
  '400 401 403': 'x..30',
  '402': 'n17c',
  '410-417': 'n13c',
  '420': 'x..20',
  '421': 'n3 x..9',
  '422 424 426': 'n3',
  '423 425': 'n3 n3? n3? n3? n3?',
  '427': 'x..3',
  '4300 4301 4310 4311 4320': 'x..35',
  '4302-4306 4312-4316': 'x..70',
  '4307 4317': 'x2',
  '4308 4319': 'x..30',
  '4309': 'n20',
  '4318': 'x..20',
  '4321-4323': 'n1',
  '4324 4325': 'n10',
  '4326': 'n6d',
  '4330-4333': 'n6 x1?',
  '7001': 'n13',
  '7002 7023': 'x..30',
  '7003': 'n10',
  '7004': 'n..4',
  '7005': 'x..12',
  '7006': 'n6d',
  '7007': 'n6d n6d?',
  '7008': 'x..3',
  '7009': 'x..10',
  '7010': 'x..2',
  '7011': 'n6d n4?',
  '7020-7022': 'x..20',
  '7030-7039': 'n3 x..27',
  '7040': 'n1 x3',
  '7041': 'x..4',
  '710-717': 'x..20',
  '7230-7239': 'x2 x..28',
  '7240': 'x..20',
  '7241': 'n2',
  '7242': 'x..25',
  '7250': 'n8',
  '7251': 'n12',
  '7252': 'n1',
  '7253 7254 7259': 'x..40',
  '7255': 'x..10',
  '7256': 'x..90',
  '7257': 'x..70',
  '7258': 'n1 x1 n1',
  '8001': 'n14',
  '8002 8012': 'x..20',
  '8003': 'n14c x..16?',
  '8004': 'x..30',
  '8005': 'n6',
  '8006 8026': 'n14c n4',
  '8007': 'x..34',
  '8008': 'n8 n2? n2?',
  '8009': 'x..50',
  '8010': 'y..30',
  '8011': 'n..12',
  '8013 8014 8020': 'x..25',
  '8017 8018': 'n18c',
  '8019': 'n..10',
  '8030': 'z..90',
  '8040 8041': 'n15',
  '8042': 'n32',
  '8043': 'n18 n..2?',
  '8110 8112 8200': 'x..70',
  '8111': 'n4',
  '90': 'x..30',
  '91-99': 'x..90',
};

let table: ReadonlyMap<string, string> | undefined;
/** The format of each identifier. There are hundreds, of which few nodes ever see one. */
const formats = (): ReadonlyMap<string, string> => {
  table ??= new Map(
    Object.entries(FORMATS).flatMap(([names, format]) =>
      names.split(' ').flatMap((name) => identifiersOf(name).map((ai): [string, string] => [ai, format])),
    ),
  );
  return table;
};

function identifiersOf(name: string): string[] {
  const [, from = '', to = from, decimals] = /^(\d+)(?:-(\d+))?(?:\.(\d))?$/.exec(name)!;
  const numbers = Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) =>
    String(Number(from) + n).padStart(from.length, '0'),
  );
  if (decimals === undefined) return numbers;
  return numbers.flatMap((number) => Array.from({ length: Number(decimals) + 1 }, (_, digit) => `${number}${digit}`));
}

/** Identifiers that begin so have data of a length that every reader knows (figure 7.8.5-2): no FNC1 ends it. */
const KNOWN_LENGTH = /^(?:0[0-4]|1[1-9]|20|3[1-6]|41)/;

const ALPHABETS: Readonly<Record<string, RegExp>> = {
  n: /^[0-9]*$/,
  x: /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]*$/,
  y: /^[#\-/0-9A-Z]*$/,
  z: /^[A-Za-z0-9\-_=]*$/,
};
const PART = /^([nxyz])(\.\.)?(\d+)(?:(c)|(d))?(\?)?$/;

/** Elements of a text with its identifiers in brackets; an error for one that is unknown, or whose data does not fit it. */
export function gs1Elements(value: string): Parsed<readonly Element[]> {
  const [before, ...rest] = value.split(/\((\d{2,4})\)/);
  if (before !== '' || rest.length === 0) return wrong('gs1 data begins with an identifier in brackets, such as (01)');
  const elements: Element[] = [];
  for (let at = 0; at < rest.length; at += 2) {
    const element = { ai: rest[at]!, data: rest[at + 1]! };
    const fault = faultOf(element);
    if (fault !== undefined) return wrong(`(${element.ai}) ${fault}`);
    elements.push(element);
  }
  return { ok: true, value: elements };
}

/** The text that a symbol encodes: identifiers and data, FNC1 behind what has no known length and is not the last. */
export const gs1Message = (elements: readonly Element[]): string =>
  elements
    .map(({ ai, data }, at) => ai + data + (at < elements.length - 1 && !KNOWN_LENGTH.test(ai) ? FNC1 : ''))
    .join('');

/** The elements as people read them, each with its identifier in brackets. */
export const gs1Text = (elements: readonly Element[]): readonly string[] =>
  elements.map(({ ai, data }) => `(${ai})${data}`);

function faultOf({ ai, data }: Element): string | undefined {
  const format = formats().get(ai);
  if (format === undefined) return 'is no application identifier';
  let from = 0;
  for (const part of format.split(' ')) {
    const [, alphabet = '', upTo, count = '', checked, date, optional] = PART.exec(part)!;
    const most = Number(count);
    const text = data.slice(from, from + most);
    if (text === '' && optional !== undefined) continue;
    if (!ALPHABETS[alphabet]!.test(text) || text === '' || (upTo === undefined && text.length < most))
      return `takes ${format}, not ${JSON.stringify(data)}`;
    if (checked !== undefined) {
      const check = checkDigit(text.slice(0, -1));
      if (text.at(-1) !== check) return `check digit of ${text.slice(0, -1)} is ${check}`;
    }
    if (date !== undefined && !/^\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/.test(text))
      return `takes a date, not ${text}`;
    from += text.length;
  }
  return from < data.length ? `takes ${format}, not ${JSON.stringify(data)}` : undefined;
}

const wrong = (reason: string): Parsed<readonly Element[]> => ({ ok: false, reason });
