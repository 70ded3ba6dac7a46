/** Bar codes (GS k, Epson TM-T88III manual) and two-dimensional symbols (GS ( k, TM-T88VI manual). */

import { utf8Text } from '../state/bytes.ts';
import type { Pdf417Setup } from '../state/modes.ts';
import type { LinearSymbology } from '../symbols/barcode.ts';
import { askedSymbol, linearDataBar, setAsked } from './asked-symbol.ts';
import { type CommandEntry, digit, GS, type Mechanism, mode, type VirtualCommand } from './command.ts';

/** Symbologies of GS k by m: form A is the index, form B is the index plus 65. */
const SYMBOLOGIES: readonly (LinearSymbology | { readonly named: string })[] = [
  ...(['upca', 'upce', 'ean13', 'ean8', 'code39', 'itf', 'codabar', 'code93', 'code128', 'gs1-128'] as const),
  ...['', ' Truncated', ' Limited', ' Expanded'].map((kind) => ({ named: `GS1 DataBar${kind}` })),
  'code128-auto',
];
const HRI = ['none', 'above', 'below', 'both'] as const;
/** Most data bytes of form A; what comes behind them is text. */
const LONGEST = [12, 12, 13, 8, 255, 255, 255];
const ALPHABETS = [/[0-9]/, /[0-9]/, /[0-9]/, /[0-9]/, /[0-9A-Z $%+\-./*]/, /[0-9]/, /[0-9A-Da-d$+\-./:]/];

/** GS k 79: Code 128 of any byte. */
const ANY_BYTE = 14;

/** Code 93 and 128 hold any ASCII, the rest what their alphabet says. */
const holds = (index: number, byte: number): boolean => {
  const alphabet = ALPHABETS[index];
  return alphabet ? alphabet.test(String.fromCharCode(byte)) : byte < 0x80 || index === ANY_BYTE;
};

/** In page mode a bar code stands anywhere. */
const mayBegin = (on: Mechanism): boolean => on.lineEmpty || on.modes.page;

/**
 * GS k m d1...dk NUL and GS k m n d1...dn. A bar code is one only at the beginning of a line; and data that its
 * alphabet does not hold ends it: from there on the bytes are commands and text like any others.
 */
const barcodeCommand: VirtualCommand = {
  size: (head) => {
    if (head.length < 3) return 3;
    const m = head[2]!;
    const longest = LONGEST[m];
    if (longest === undefined) return m >= 65 && m <= 79 ? 4 : 3;
    for (let at = 3; ; at += 1) {
      if (head[at] === undefined || head[at] === 0) return at + 1;
      if (at - 3 >= longest || !holds(m, head[at]!)) return at;
    }
  },
  payload: (head, on) => (head.length === 4 && head[2]! >= 65 && head[2]! <= 79 && mayBegin(on) ? head[3]! : 0),
  run: (on, head, payload) => {
    const m = head[2]!;
    if (m >= 65) {
      const wrong = payload.findIndex((byte) => !holds(m - 65, byte));
      if (wrong >= 0) on.feed(payload.subarray(wrong));
      return wrong < 0 && payload.length > 0 && print(on, m - 65, payload);
    }
    if (LONGEST[m] === undefined) return false;
    const data = head.subarray(3, head.at(-1) === 0 ? -1 : undefined);
    if (mayBegin(on)) return print(on, m, data);
    if (head.length > 3) on.feed(head.subarray(3));
    return false;
  },
};

const print = (on: Mechanism, index: number, data: Uint8Array): unknown => {
  const symbology = SYMBOLOGIES[index];
  if (!symbology) return false;
  if (typeof symbology === 'string') return on.paper?.barcode(symbology, data, on.modes);
  const asked = linearDataBar(65 + index, data, on.modes);
  return asked && on.paper?.asked(`GS k ${65 + index} ${symbology.named}`, asked, on.modes);
};

const QR = 49;
const PDF417 = 48;
const LEVELS = ['l', 'm', 'q', 'h'] as const;

/** What function 65 to 70 sets of PDF417; a value out of range sets nothing. */
const pdf417Setup = (setup: Pdf417Setup, [, fn = 0, m = 0, n = 0]: Uint8Array): Pdf417Setup => {
  if (fn === 65 && m <= 30) return { ...setup, columns: m };
  if (fn === 66 && (m === 0 || (m >= 3 && m <= 90))) return { ...setup, rows: m };
  if (fn === 67 && m >= 2 && m <= 8) return { ...setup, module: m };
  if (fn === 68 && m >= 2 && m <= 8) return { ...setup, rowHeight: m };
  if (fn === 69 && m === 48 && n >= 48 && n <= 56) return { ...setup, correction: { level: n - 48 } };
  if (fn === 69 && m === 49 && n >= 1 && n <= 40) return { ...setup, correction: { ratio: n } };
  if (fn === 70 && m <= 1) return { ...setup, truncated: m === 1 };
  return setup;
};

/** The symbols of GS ( k by cn (TM-T88VI command manual). */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 50: 'MaxiCode', 51: 'GS1 DataBar', 52: 'Composite', 53: 'Aztec Code', 54: 'Data Matrix' },
};

/** QR Code: model 1 and Micro QR Code are only named. */
const qrFunction = (on: Mechanism, [, fn, value = 0]: Uint8Array): unknown => {
  const { modes } = on;
  if (fn === 65 && value >= 49 && value <= 51) modes.qrModel = value - 48;
  else if (fn === 67 && value >= 1 && value <= 16) modes.qrModule = value;
  else if (fn === 69) modes.qrLevel = LEVELS[value - 48] ?? modes.qrLevel;
  else return false;
  return true;
};

/**
 * GS ( k cn fn [m] parameters: cn 49 is QR Code, 48 is PDF417; function 80 stores data, 81 prints it (Epson TM-T88VI
 * command manual). The line is begun anew before.
 */
const symbolFunction = (on: Mechanism, payload: Uint8Array): unknown => {
  const [cn = 0, fn] = payload;
  const { modes, paper } = on;
  if (fn === 80) {
    // Of a composite symbol there are two parts: the bar code, then what stands above it.
    const before = cn === COMPOSITE && payload[3] === 49 ? [...(modes.stored[cn] ?? []), 0x20] : [];
    modes.stored = { ...modes.stored, [cn]: Uint8Array.from([...before, ...payload.subarray(PARAMETERS[cn] ?? 3)]) };
  } else if (fn === 81) {
    const data = modes.stored[cn];
    if (!data) return false;
    if (cn === QR && modes.qrModel !== 1 && modes.qrModel !== 3) return paper?.qr(data, modes);
    if (cn === PDF417) return paper?.pdf417(data, modes);
    const name = `GS ( k ${cn} ${cn === QR ? `QR Code model ${modes.qrModel}` : (NAMES[cn] ?? '?')}`;
    const asked = askedSymbol(cn, data, modes);
    if (asked) return paper?.asked(name, asked, modes);
    paper?.frame(name, utf8Text(data), modes);
    return false;
  } else if (cn === QR) return qrFunction(on, payload);
  else if (cn === PDF417) modes.pdf417 = pdf417Setup(modes.pdf417, payload);
  else return setAsked(modes, payload);
  return true;
};
const COMPOSITE = 52;
/** Bytes of GS ( k function 80 before its data, where these are not three. */
const PARAMETERS: Readonly<Record<number, number>> = { [COMPOSITE]: 5 };

/** GS ( k with its payload; see `symbolFunction`. */
export const symbolCommand: NonNullable<VirtualCommand['run']> = (on, _head, payload) => {
  if (payload[1] === 81 && !on.modes.page) on.flushLine();
  return symbolFunction(on, payload);
};

export const symbols: readonly CommandEntry[] = [
  [GS, 'k', barcodeCommand],
  [
    GS,
    'h',
    mode((modes, n) => {
      if (n > 0) modes.barcodeHeight = n;
    }),
  ],
  [
    GS,
    'w',
    mode((modes, n) => {
      if (n >= 2 && n <= 6) modes.moduleWidth = n;
    }),
  ],
  [
    GS,
    'H',
    mode((modes, n) => {
      modes.hri = HRI[digit(n)] ?? modes.hri;
    }),
  ],
  [
    GS,
    'f',
    mode((modes, n) => {
      if (digit(n) <= 4) modes.hriFont = digit(n) === 0 ? 'a' : 'b';
    }),
  ],
];
