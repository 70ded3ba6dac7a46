/** Bar codes (GS k, Epson TM-T88III manual) and two-dimensional symbols (GS ( k, TM-T88VI manual). */

import type { Modes, Pdf417Setup } from '../modes.ts';
import type { Paper } from '../paper/paper.ts';
import type { Command, Mechanism } from './command.ts';

/** Symbologies of GS k by m: form A is the index, form B is the index plus 65. */
const SYMBOLOGIES = ['upca', 'upce', 'ean13', 'ean8', 'code39', 'itf', 'codabar', 'code93', 'code128'] as const;
/** Most data bytes of form A; what comes behind them is text. */
const LONGEST = [12, 12, 13, 8, 255, 255, 255];
const ALPHABETS = [/[0-9]/, /[0-9]/, /[0-9]/, /[0-9]/, /[0-9A-Z $%+\-./*]/, /[0-9]/, /[0-9A-Da-d$+\-./:]/];

/** Code 93 and 128 hold any ASCII, the rest what their alphabet says. */
const holds = (index: number, byte: number): boolean => {
  const alphabet = ALPHABETS[index];
  return alphabet ? alphabet.test(String.fromCharCode(byte)) : byte < 0x80;
};

/**
 * GS k m d1...dk NUL and GS k m n d1...dn. A bar code is one only at the beginning of a line; and data that its
 * alphabet does not hold ends it: from there on the bytes are commands and text like any others.
 */
export const barcodeCommand: Command = {
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
  payload: (head, on) => (head.length === 4 && head[2]! >= 65 && on.lineEmpty ? head[3]! : 0),
  run: (on, head, payload) => {
    const m = head[2]!;
    if (m >= 65) {
      const wrong = payload.findIndex((byte) => !holds(m - 65, byte));
      if (wrong >= 0) on.feed(payload.subarray(wrong));
      else if (payload.length > 0) print(on, m - 65, payload);
    } else {
      const data = head.subarray(3, head.at(-1) === 0 ? -1 : undefined);
      if (on.lineEmpty) print(on, m, data);
      else if (head.length > 3) on.feed(head.subarray(3));
    }
  },
};

const print = (on: Mechanism, index: number, data: Uint8Array): void => {
  const symbology = SYMBOLOGIES[index];
  if (symbology) on.paper?.barcode(symbology, data, on.modes);
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

/**
 * GS ( k cn fn [m] parameters: cn 49 is QR Code, 48 is PDF417; function 80 stores data, 81 prints it (Epson TM-T88VI
 * command manual). The line is begun anew before.
 */
export const symbolFunction = (payload: Uint8Array, modes: Modes, paper: Paper | undefined): void => {
  const [cn = 0, fn, value = 0] = payload;
  if (fn === 80) modes.stored = { ...modes.stored, [cn]: payload.slice(3) };
  else if (fn === 81) {
    const data = modes.stored[cn];
    if (data && cn === QR) paper?.qr(data, modes);
    else if (data && cn === PDF417) paper?.pdf417(data, modes);
    else if (data) paper?.symbol(`2d-${cn}`, data, modes);
  } else if (cn === QR && fn === 67 && value >= 1 && value <= 16) modes.qrModule = value;
  else if (cn === QR && fn === 69) modes.qrLevel = LEVELS[value - 48] ?? modes.qrLevel;
  else if (cn === PDF417) modes.pdf417 = pdf417Setup(modes.pdf417, payload);
};

/** GS ( k with its payload; see `symbolFunction`. */
export const symbolCommand = (on: Mechanism, payload: Uint8Array): void => {
  if (payload[1] === 81) on.flushLine();
  symbolFunction(payload, on.modes, on.paper);
};
