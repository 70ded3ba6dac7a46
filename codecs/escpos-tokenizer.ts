/**
 * Reads one ESC/POS command at a time out of bytes, by the length table. A parameter outside its range ends the
 * command there: Epson-type firmware takes the rest for data, while some clones take it for a payload.
 */
import { ESCPOS_COMMANDS, type EscposCommand } from './escpos-commands.ts';

export const NUL = 0x00;
export const LF = 0x0a;
export const DLE = 0x10;
export const DC4 = 0x14;
export const ESC = 0x1b;

/** Function B bar codes and the GS ( functions that are looked into are read whole, up to this many payload bytes. */
const WHOLE = 255;
/** No command is undecided for longer than this: GS k B with 255 bytes of data. */
export const LONGEST_UNDECIDED = 5 + WHOLE;

/** What a printer keeps in mind from one command, and one connection, to the next, where it decides how bytes are read. */
export interface PrinterMode {
  /** ESC = has taken the printer off the line: what follows is for the customer display. */
  deselected: boolean;
  /** Font B may be in use, whose user-defined characters are narrower. */
  narrowFont: boolean;
  /** Bytes of one user-defined kanji: 72 in font A (24 by 24), 60 in B, 32 in C. */
  kanjiBytes: number;
  /** The line may hold text: some commands count only on an empty line, and are text otherwise. */
  textPending: boolean;
  /** A macro may have been defined, which runs its commands on a line of its own choosing. */
  macros: boolean;
  /** Whose macro GS ^ would run: `own` was begun and ended by the job in hand. */
  macro: 'unknown' | 'begun' | 'own';
}

export const freshMode = (): PrinterMode => ({
  deselected: false,
  narrowFont: false,
  kanjiBytes: 72,
  textPending: false,
  macros: false,
  macro: 'unknown',
});

/**
 * `more`: cannot be told yet. `unknown`: a lead byte that opens no known command, length 1.
 * `impossible`: the `length` bytes before a parameter that is out of range.
 */
export type TokenKind = 'more' | 'unknown' | 'impossible' | 'command';

/** What `readToken` found, written over at each call so that reading allocates nothing. */
export interface Token {
  command: EscposCommand;
  /** Bytes of the header: of the whole command where `payload` and `parts` are 0. */
  length: number;
  /** Bytes of payload that follow the header; of the first part, where there are more. */
  payload: number;
  /** Further characters (ESC &) or images (FS q) after the first. */
  parts: number;
  /** A list that wants a NUL at its end, and has none. */
  open: boolean;
}

export const newToken = (): Token => ({
  command: ESCPOS_COMMANDS[0]!,
  length: 0,
  payload: 0,
  parts: 0,
  open: false,
});

interface Node {
  command?: EscposCommand;
  next?: (Node | undefined)[];
}

const ROOTS: readonly (Node | undefined)[] = (() => {
  const root: Node = {};
  for (const command of ESCPOS_COMMANDS) {
    let node = root;
    for (let i = 0; i < command.prefix.length; i += 2) {
      node.next ??= new Array<Node | undefined>(256).fill(undefined);
      const byte = Number.parseInt(command.prefix.slice(i, i + 2), 16);
      node.next[byte] ??= {};
      node = node.next[byte]!;
    }
    node.command = command;
  }
  return root.next!;
})();

/** 1 for the bytes that open commands: DLE, ESC, FS and GS. */
export const LEADS = Uint8Array.from({ length: 256 }, (_, byte) => (ROOTS[byte] ? 1 : 0));

const number = (b: Uint8Array, at: number, width: number): number => {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + b[at + i]!;
  return value;
};

/** The bytes of one ESC & character of width `x`, or -1: font A is 12 dots wide, font B 9. */
export const characterBytes = (x: number, y: number, mode: PrinterMode): number =>
  x > (mode.narrowFont ? 9 : 12) ? -1 : x * y;

/** The bytes of one FS q image whose size stands at `at`, or -1. */
export const imageBytes = (b: Uint8Array, at: number): number => {
  const x = number(b, at, 2);
  const y = number(b, at + 2, 2);
  return x < 1 || x > 0x3ff || y < 1 || y > 0x240 ? -1 : 8 * x * y;
};

/** Reads the token whose lead byte is b[at]; nothing from `end` on is looked at. */
export function readToken(b: Uint8Array, at: number, end: number, mode: PrinterMode, token: Token): TokenKind {
  token.payload = 0;
  token.parts = 0;
  token.open = false;
  let node = ROOTS[b[at]!]!;
  let command: EscposCommand | undefined;
  for (let i = at + 1; node.next; i++) {
    if (i >= end) return 'more';
    const next = node.next[b[i]!];
    if (!next) break;
    node = next;
    command = node.command ?? command;
  }
  token.length = 1;
  if (!command) return 'unknown';
  token.command = command;
  const { head, ranges } = command;
  if (command.role === 'refused') return impossible(token, head - 1);
  if (ranges) {
    for (let i = 0; i < ranges.length; i++) {
      const range = ranges[i]!;
      const offset = range[0]!;
      if (at + offset >= end) return 'more';
      if (!within(b[at + offset]!, range)) return impossible(token, offset);
    }
  }
  if (at + head > end) return 'more';
  token.length = head;
  return command.payload ? readPayload(b, at, end, mode, token) : 'command';
}

const impossible = (token: Token, length: number): TokenKind => {
  token.length = length;
  return 'impossible';
};

/** `range`: an offset, then pairs of bounds. */
const within = (value: number, range: readonly number[]): boolean => {
  for (let i = 1; i < range.length; i += 2) if (value >= range[i]! && value <= range[i + 1]!) return true;
  return false;
};

function readPayload(b: Uint8Array, at: number, end: number, mode: PrinterMode, token: Token): TokenKind {
  const payload = token.command.payload!;
  switch (payload.form) {
    case 'counted': {
      token.payload = payload.unit * number(b, at + payload.at, payload.width) - (payload.inHeader ?? 0);
      if (token.payload < 0) return impossible(token, payload.at);
      const { role } = token.command;
      const looked = role === 'barcode' || role === 'realtimeSwitch' || role === 'kanjiFont';
      return looked && at + token.length + Math.min(token.payload, WHOLE) > end ? 'more' : 'command';
    }
    case 'area':
      token.payload =
        payload.unit * number(b, at + payload.x, payload.width) * number(b, at + payload.y, payload.width);
      return token.payload > (payload.most ?? Number.POSITIVE_INFINITY) ? impossible(token, payload.x) : 'command';
    case 'kanji':
      token.payload = mode.kanjiBytes;
      return 'command';
    case 'characters': {
      const y = b[at + 2]!;
      // One byte a column is a customer display's font; printers use two or three.
      if (y === 1 && !mode.deselected) return impossible(token, 2);
      if (b[at + 4]! < b[at + 3]!) return impossible(token, 4);
      token.parts = b[at + 4]! - b[at + 3]!;
      token.payload = characterBytes(b[at + 5]!, y, mode);
      return token.payload < 0 ? impossible(token, 5) : 'command';
    }
    case 'images':
      token.parts = b[at + 2]! - 1;
      token.payload = imageBytes(b, at + 3);
      return token.payload < 0 ? impossible(token, 3) : 'command';
    case 'tabs':
      return readTabs(b, at, end, token);
    case 'list':
      return readList(b, at, end, token);
    case 'numbers':
      return readNumbers(b, at, end, token);
  }
}

function readTabs(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  let i = at + 2;
  for (const last = i + 32; i < last; i++) {
    if (i >= end) return 'more';
    if (b[i] === NUL || (i > at + 2 && b[i]! <= b[i - 1]!)) break;
    // Column 27 and then 112: no paper is that wide, and a printer with fewer tab stops would see ESC p.
    if (b[i] === 0x70 && b[i - 1] === ESC) return impossible(token, 2);
  }
  if (i >= end) return 'more';
  token.open = b[i] !== NUL;
  token.length = i - at + (token.open ? 0 : 1);
  return 'command';
}

function readList(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  for (let i = at + 3; i < at + 3 + WHOLE; i++) {
    if (i >= end) return 'more';
    if (b[i] === NUL) {
      token.length = i + 1 - at;
      return 'command';
    }
    if (b[i]! < 0x20 || b[i]! > 0x7e) break;
  }
  token.open = true;
  return 'command';
}

function readNumbers(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  let numbers = 0;
  for (let i = at + 3; i < at + 3 + 32; i++) {
    if (i >= end) return 'more';
    if (b[i] === 0x3b) numbers++;
    else if (b[i]! < 0x30 || b[i]! > 0x39) break;
    if (numbers === 5) {
      token.length = i + 1 - at;
      return 'command';
    }
  }
  return impossible(token, 3);
}

const scratch = newToken();
const STEADY = freshMode();

/**
 * True where a printer that takes these bytes for plain data ends up at the same place, and in the same state, as
 * one that takes them for parameters: they hold no pulse, no payload, and no command that is cut off.
 */
export function inStep(b: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to) {
    if (LEADS[b[at]!] === 0) {
      at++;
      continue;
    }
    const kind = readToken(b, at, to, STEADY, scratch);
    const { command, length } = scratch;
    // A DLE that is cut off opens nothing: real-time commands are looked for everywhere in any case.
    if (kind === 'unknown' || (kind === 'more' && b[at] === DLE)) at++;
    // The longer commands have parameters that a printer may take for text in their turn.
    else if (kind === 'command' && !command.payload && length < 5 && HARMLESS.has(command.role)) at += length;
    else return false;
  }
  return true;
}
const HARMLESS: ReadonlySet<EscposCommand['role']> = new Set([undefined, 'status', 'font', 'printLine']);
