/**
 * The command set of the virtual printer: how long each command is, and what it does. Lengths and rules as in the
 * Epson TM-T88III and TM-T20III command manuals, for standard mode; a command that changes nothing visible is only
 * measured.
 */

import { LINE_SPACING, type Modes } from '../modes.ts';
import { type Command, digit, type Mechanism, u16, u32 } from './command.ts';
import { bitImage, graphicsCommand, RASTER } from './image.ts';
import { setupCommand } from './setup.ts';
import { barcodeCommand, symbolCommand } from './symbol.ts';

const table = new Map<number, Command>();
/** The command that begins with these two bytes; undefined where there is none. */
export const commandAt = (lead: number, second: number): Command | undefined => table.get((lead << 8) | second);

const ESC = 0x1b;
const FS = 0x1c;
const GS = 0x1d;
const DLE = 0x10;

const HRI = ['none', 'above', 'below', 'both'] as const;
const ALIGN = ['left', 'center', 'right'] as const;

const define = (lead: number, seconds: string | number, command: Command): void => {
  const codes = typeof seconds === 'number' ? [seconds] : [...seconds].map((char) => char.charCodeAt(0));
  for (const code of codes) table.set((lead << 8) | code, command);
};

const mode = (lead: number, second: string, set: (modes: Modes, n: number, on: Mechanism) => void): void =>
  define(lead, second, { size: 3, mode: set });

// Measured only. Those with an effect are defined again below.
define(ESC, '\f2<@LSimqv', { size: 2 });
define(ESC, ' !%-3=?CEFGJKMRTUVadertu{', { size: 3 });
define(ESC, '$\\BFcf', { size: 4 });
define(ESC, 'F', { size: 3 });
define(ESC, 'p7', { size: 5 });
define(ESC, 'W', { size: 10 });
define(ESC, '(', { size: 5, payload: (head) => u16(head, 3) });
define(FS, '&.Lbc', { size: 2 });
define(FS, '!-CW', { size: 3 });
define(FS, '?Sp', { size: 4 });
define(FS, '(', { size: 5, payload: (head) => u16(head, 3) });
define(FS, '2', { size: 4, payload: () => 72 });
define(FS, 'a', { size: (head) => (head[2] === 0x30 ? 4 : 3) });
define(FS, 'g', { size: 10, payload: (head) => (head[2] === 0x31 ? u16(head, 8) : 0) });
define(GS, ':c', { size: 2 });
define(GS, '!/BEHITabfhjrw|', { size: 3 });
define(GS, '$LPW\\', { size: 4 });
define(GS, '^z', { size: 5 });

mode(ESC, '!', (modes, n) => {
  modes.font = n & 0x01 ? 'b' : 'a';
  modes.bold = (n & 0x08) !== 0;
  modes.height = n & 0x10 ? 2 : 1;
  modes.width = n & 0x20 ? 2 : 1;
  modes.underline = (n & 0x80) !== 0;
});
mode(ESC, 'EG', (modes, n) => {
  modes.bold = (n & 1) === 1;
});
mode(ESC, '-', (modes, n) => {
  if (digit(n) <= 2) modes.underline = digit(n) > 0;
});
mode(ESC, 'M', (modes, n) => {
  if (digit(n) <= 4) modes.font = digit(n) === 0 ? 'a' : 'b';
});
mode(ESC, 't', (modes, n) => {
  modes.codePage = n;
});
mode(ESC, 'R', (modes, n) => {
  if (n <= 15) modes.national = n;
});
define(FS, '&', {
  size: 2,
  run: (on) => {
    on.modes.twoByte = true;
  },
});
define(FS, '.', {
  size: 2,
  run: (on) => {
    on.modes.twoByte = false;
  },
});
mode(FS, 'C', (modes, n) => {
  if (digit(n) <= 1) modes.shiftJis = digit(n) === 1;
});
mode(FS, '-', (modes, n) => {
  if (digit(n) <= 2) modes.twoByteUnderline = digit(n) > 0;
});
mode(ESC, ' ', (modes, n) => {
  modes.characterSpacing = n;
});
mode(ESC, '3', (modes, n) => {
  modes.lineSpacing = n;
});
mode(GS, 'B', (modes, n) => {
  modes.invert = (n & 1) === 1;
});
mode(GS, '!', (modes, n) => {
  if (n & 0x88) return;
  modes.width = (n >> 4) + 1;
  modes.height = (n & 7) + 1;
});
mode(GS, 'h', (modes, n) => {
  if (n > 0) modes.barcodeHeight = n;
});
mode(GS, 'w', (modes, n) => {
  if (n >= 2 && n <= 6) modes.moduleWidth = n;
});
mode(GS, 'H', (modes, n) => {
  modes.hri = HRI[digit(n)] ?? modes.hri;
});
// These three are commands at the beginning of a line only.
mode(ESC, 'a', (modes, n, on) => {
  if (on.lineEmpty) modes.align = ALIGN[digit(n)] ?? modes.align;
});
define(GS, 'L', {
  size: 4,
  run: (on, head) => {
    if (on.lineEmpty) on.modes.leftMargin = u16(head, 2);
  },
});
define(GS, 'W', {
  size: 4,
  run: (on, head) => {
    if (on.lineEmpty) on.modes.printWidth = u16(head, 2);
  },
});

define(ESC, '@', { size: 2, run: (on) => on.initialise() });
define(ESC, '2', {
  size: 2,
  run: (on) => {
    on.modes.lineSpacing = LINE_SPACING;
  },
});
define(ESC, '=', {
  size: 3,
  always: true,
  run: (on, head) => {
    on.modes.selected = (head[2]! & 1) === 1;
  },
});
define(ESC, '$', { size: 4, run: (on, head) => on.paper?.moveTo(u16(head, 2)) });
define(ESC, '\\', { size: 4, run: (on, head) => on.paper?.moveBy((u16(head, 2) << 16) >> 16) });

// ESC D: up to 32 rising columns, ended by NUL or by a column that does not rise, which is none of the command's.
define(ESC, 'D', {
  size: (head) => {
    for (let at = 2; at < 35; at += 1) {
      if (head[at] === undefined || head[at] === 0) return at + 1;
      if (at > 2 && head[at]! <= head[at - 1]!) return at;
    }
    return 34;
  },
  run: (on, head) => {
    on.modes.tabs = [...head.subarray(2)].filter((column) => column > 0);
  },
});

// Paper.
define(ESC, 'd', {
  size: 3,
  run: (on, head) => {
    const lines = head[2]! - (on.flushLine() ? 1 : 0);
    if (lines > 0) on.paper?.feed(lines * on.modes.lineSpacing, lines);
  },
});
define(ESC, 'J', {
  size: 3,
  run: (on, head) => {
    on.flushLine();
    on.paper?.feed(head[2]!);
  },
});
const cut = (on: Mechanism, partial: boolean, feed: number): void => {
  on.flushLine();
  on.paper?.feed(feed);
  on.paper?.cut(partial);
};
define(ESC, 'im', { size: 2, run: (on) => cut(on, true, 0) });
define(GS, 'V', {
  size: (head) => (head.length > 2 && 'ABabgh'.includes(String.fromCharCode(head[2]!)) ? 4 : 3),
  run: (on, head) => {
    if (head.length === 4) cut(on, head[2]! % 2 === 0, head[3]!);
    else if (digit(head[2]!) <= 1) cut(on, digit(head[2]!) === 1, 0);
  },
});

// Drawer: times in units of 2 ms; the off time is never shorter than the on time.
define(ESC, 'p', {
  size: 5,
  run: (on, head) => {
    const connector = digit(head[2]!);
    if (connector <= 1) on.effects?.pulse(connector ? 5 : 2, head[3]! * 2, Math.max(head[3]!, head[4]!) * 2);
  },
});

// Answers, in the order of printing.
mode(GS, 'a', (_modes, n, on) => on.effects?.automaticStatus(n));
mode(GS, 'r', (_modes, n, on) => on.effects?.queuedStatus(n));
define(GS, 'I', { size: 3, inSetup: () => true, mode: (_modes, n, on) => on.effects?.printerId(n) });

/** GS ( fn: what the functions do with their payload. */
const EXTENDED: Readonly<Record<string, (on: Mechanism, payload: Uint8Array) => void>> = {
  D: (on, [m, ...pairs]) => {
    if (m !== 20) return;
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const on20 = digit(pairs[at + 1]!) === 1;
      if (digit(pairs[at]!) === 1) on.modes.realtimePulse = on20;
      if (digit(pairs[at]!) === 2) on.modes.realtimePowerOff = on20;
    }
  },
  E: setupCommand,
  H: (on, payload) => {
    if (payload.length === 6 && payload[0] === 0x30) {
      on.flushLine();
      on.effects?.printed(payload.subarray(2));
    }
  },
  L: graphicsCommand,
  k: symbolCommand,
};
define(GS, '(', {
  size: 5,
  payload: (head) => u16(head, 3),
  inSetup: (head) => head[2] === 0x45,
  run: (on, head, payload) => EXTENDED[String.fromCharCode(head[2]!)]?.(on, payload),
});
define(GS, '8', {
  size: (head) => (head.length > 2 && head[2] !== 0x4c ? 3 : 7),
  payload: (head) => (head.length === 7 ? u32(head, 3) : 0),
  run: (on, _head, payload) => graphicsCommand(on, payload),
});

define(ESC, '*', bitImage);
define(GS, 'v', RASTER);
define(GS, 'k', barcodeCommand);

// Downloaded and stored images: read past.
define(GS, '*', { size: 4, payload: (head, on) => (on.lineEmpty ? head[2]! * head[3]! * 8 : 0) });
define(GS, 'D', { size: 15, payload: (head, on) => (on.lineEmpty ? Math.max(0, u32(head, 11) - 6) : 0) });
define(GS, 'Q', { size: 8, payload: (head) => (head[2] === 0x30 ? u16(head, 4) * u16(head, 6) : 0) });
define(GS, 'g', { size: (head) => (head.length > 2 && head[2] !== 0x30 && head[2] !== 0x32 ? 3 : 6) });
const storedImage: Command = { size: 4, payload: (head) => u16(head, 0) * u16(head, 2) * 8 };
define(FS, 'q', { size: 3, series: (head) => ({ command: storedImage, left: head[2]! }) });

// User-defined characters: rows of y bytes, x of them for each character.
const userCharacter = (y: number): Command => ({ size: 1, payload: (head) => head[0]! * y });
define(ESC, '&', {
  size: 5,
  series: (head) => {
    const [, , y = 0, first = 0, last = 0] = head;
    const valid = (y === 2 || y === 3) && first >= 0x20 && last <= 0x7e;
    return { command: userCharacter(y), left: valid ? last - first + 1 : 0 };
  },
});

/** GS C: counters. GS C ; carries five numbers, each ended by a semicolon. */
define(GS, 'C', {
  size: (head) => {
    if (head.length < 3) return 3;
    if (head[2] !== 0x3b) return head[2] === 0x31 ? 9 : head[2] === 0x30 || head[2] === 0x32 ? 5 : 3;
    let semicolons = 0;
    for (let at = 3; at < 64; at += 1) {
      const byte = head[at];
      if (byte === undefined) return at + 1;
      if (byte === 0x3b) semicolons += 1;
      else if (byte < 0x30 || byte > 0x39) return at;
      if (semicolons === 5) return at + 1;
    }
    return 64;
  },
});

// Real-time commands were executed when they arrived; here they only take their room.
define(DLE, 0x04, {
  size: (head) => {
    if (head.length < 3) return 3;
    const n = head[2]!;
    return n === 7 || n === 8 || n === 18 ? 4 : n >= 1 && n <= 6 ? 3 : 2;
  },
});
define(DLE, 0x05, { size: 3 });
define(DLE, 0x14, {
  size: (head) => (head.length < 3 ? 3 : [0, 5, 5, 8, 0, 0, 0, 4, 10][head[2]!] || 2),
});
