/** Bar codes (GS k) and two-dimensional symbols (GS ( k). */
import type { Command } from './virtual-command.ts';
import type { Interpreter } from './virtual-interpreter.ts';

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

const print = (on: Interpreter, index: number, data: Uint8Array): void => {
  const symbology = SYMBOLOGIES[index];
  if (symbology) on.paper?.barcode(symbology, data, on.modes);
};

/** GS ( k cn fn [m] parameters: cn 49 is QR Code, 48 is PDF417; function 80 stores data, 81 prints it. */
export const symbolCommand = (on: Interpreter, payload: Uint8Array): void => {
  const [cn = 0, fn, value = 0] = payload;
  const { modes } = on;
  if (cn === 49 && fn === 67 && value >= 1 && value <= 16) modes.qrModule = value;
  else if (cn === 49 && fn === 69) modes.qrLevel = (['l', 'm', 'q', 'h'] as const)[value - 48] ?? modes.qrLevel;
  else if (cn === 48 && fn === 67 && value >= 2 && value <= 8) modes.pdf417Module = value;
  else if (fn === 80) modes.stored = { ...modes.stored, [cn]: payload.slice(3) };
  else if (fn === 81) {
    const data = modes.stored[cn];
    on.flushLine();
    if (data && cn === 49) on.paper?.qr(data, modes);
    else if (data) on.paper?.symbol(cn === 48 ? 'pdf417' : `2d-${cn}`, data, modes);
  }
};
