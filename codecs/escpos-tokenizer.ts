/** Reads one ESC/POS command at a time, by the length table of escpos-command-lengths.ts. */
import { ESCPOS_COMMANDS, type EscposCommand } from './escpos-command-lengths.ts';

/** Control characters of ESC/POS. */
export const NUL = 0x00;
export const BEL = 0x07;
export const LF = 0x0a;
export const DLE = 0x10;
export const ESC = 0x1b;
export const GS = 0x1d;

/** Most bytes of the data of GS k function A, and of GS ( D, that are read before the token is decided. */
const WHOLE = 255;
/** Bytes after which every command is decided: `readToken` gives no `more` when it has so many. */
export const LONGEST_UNDECIDED = 5 + WHOLE;

/**
 * `more`: more bytes are needed to decide. `unknown`: a lead byte that begins no known command, length 1.
 */
export type TokenKind = 'more' | 'unknown' | 'command';

/** The result of `readToken`. Each call overwrites it, so that reading allocates nothing. */
export interface Token {
  command: EscposCommand;
  /** Bytes of the header: of the whole command where `payload` and `parts` are 0. */
  length: number;
  /** Bytes of payload that follow the header; of the first part, where there are more. */
  payload: number;
  /** Further characters (ESC &) or images (FS q) after the first. */
  parts: number;
  /** A list that a NUL has to end, and the NUL has not come. */
  open: boolean;
}

/** A token for `readToken` to fill. */
export const newToken = (): Token => ({
  command: ESCPOS_COMMANDS[0]!,
  length: 0,
  payload: 0,
  parts: 0,
  open: false,
});

/** Values of a byte, and numbers in a row of `NEXT`. */
const VALUES = 256;

/**
 * The prefixes of the table as a tree of numbers, which are read in half of the time of objects. `next`: a row for each node that has
 * others below it, with the node that each byte leads to; `rows`: the row of each node, from 1, and 0 of one that has none; `commands`:
 * which command of the table ends at a node, from 1.
 */
const {
  next: NEXT,
  rows: ROWS,
  commands: COMMANDS,
} = (() => {
  const next: number[][] = [];
  const rows = [0];
  const commands = [0];
  for (const [index, { prefix }] of ESCPOS_COMMANDS.entries()) {
    let node = 0;
    for (let i = 0; i < prefix.length; i += 2) {
      if (rows[node] === 0) rows[node] = next.push(new Array<number>(VALUES).fill(0));
      const row = next[rows[node]! - 1]!;
      const byte = Number.parseInt(prefix.slice(i, i + 2), 16);
      if (row[byte] === 0) {
        row[byte] = rows.push(0) - 1;
        commands.push(0);
      }
      node = row[byte]!;
    }
    commands[node] = index + 1;
  }
  return { next: Int16Array.from(next.flat()), rows: Int16Array.from(rows), commands: Int16Array.from(commands) };
})();

/** The bytes that open commands: DLE, ESC, FS and GS. */
export const LEADS: readonly number[] = Array.from({ length: VALUES }, (_, byte) => byte).filter(
  (byte) => NEXT[byte] !== 0,
);

/** True for a byte that opens commands. */
export const isLead = (byte: number): boolean => NEXT[byte] !== 0;

const number = (b: Uint8Array, at: number, width: number): number => {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + b[at + i]!;
  return value;
};

/** Bytes of the FS q image whose size field (xL xH yL yH) is at `at`. */
export const imageBytes = (b: Uint8Array, at: number): number => 8 * number(b, at, 2) * number(b, at + 2, 2);

/** Reads the token whose lead byte is b[at], from the bytes before index `end`. Writes its lengths to `token`. */
export function readToken(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  token.payload = 0;
  token.parts = 0;
  token.open = false;
  let found = 0;
  for (let i = at, row = 1; row > 0; i++) {
    if (i >= end) return 'more';
    const node = NEXT[(row - 1) * VALUES + b[i]!]!;
    if (node === 0) break;
    row = ROWS[node]!;
    if (COMMANDS[node] !== 0) found = COMMANDS[node]!;
  }
  token.length = 1;
  if (found === 0) return 'unknown';
  const command = ESCPOS_COMMANDS[found - 1]!;
  token.command = command;
  if (at + command.head > end) return 'more';
  token.length = command.head;
  if (command.role === 'status') return readStatus(b, at, end, token);
  return command.payload ? readPayload(b, at, end, token) : 'command';
}

/** DLE EOT n has a fourth byte for n = 7 (1 or 2), 8 (3) and 18 (1 or 2). A lead byte in the place of n is no n. */
function readStatus(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  const n = b[at + 2]!;
  if (isLead(n)) token.length = 2;
  if (n !== 7 && n !== 8 && n !== 18) return 'command';
  if (at + 3 >= end) return 'more';
  const a = b[at + 3]!;
  if (n === 8 ? a === 3 : a === 1 || a === 2) token.length = 4;
  return 'command';
}

function readPayload(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  const payload = token.command.payload!;
  switch (payload.form) {
    case 'counted':
      token.payload = Math.max(0, payload.unit * number(b, at + payload.at, payload.width) - (payload.inHeader ?? 0));
      if (token.command.role !== 'realtimeSwitch') return 'command';
      return at + token.length + Math.min(token.payload, WHOLE) > end ? 'more' : 'command';
    case 'area':
      token.payload =
        payload.unit * number(b, at + payload.x, payload.width) * number(b, at + payload.y, payload.width);
      return 'command';
    case 'fixed':
      token.payload = payload.bytes;
      return 'command';
    case 'characters':
      token.parts = Math.max(0, b[at + 4]! - b[at + 3]!);
      token.payload = b[at + 2]! * b[at + 5]!;
      return 'command';
    case 'images':
      token.parts = Math.max(0, b[at + 2]! - 1);
      token.payload = imageBytes(b, at + 3);
      return 'command';
    case 'tabs':
      return readTabs(b, at, end, token);
    case 'list':
      return readList(b, at, end, token);
  }
}

function readTabs(b: Uint8Array, at: number, end: number, token: Token): TokenKind {
  let i = at + 2;
  for (const last = i + 32; i < last; i++) {
    if (i >= end) return 'more';
    if (b[i] === NUL || (i > at + 2 && b[i]! <= b[i - 1]!)) break;
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
