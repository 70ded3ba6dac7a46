/** Types of the printer's commands, and of what they change. */
import type { Modes } from '../modes.ts';
import type { Paper } from '../paper/paper.ts';

/** What leaves the printer as it prints: the drawer connector and the queued answers. */
export interface Effects {
  pulse(pin: 2 | 5, onMs: number, offMs: number): void;
  automaticStatus(mask: number): void;
  queuedStatus(n: number): void;
  printerId(n: number): void;
  /** GS ( H function 48: everything before it is printed. */
  printed(id: Uint8Array): void;
  /** GS ( E function 1: the notice that the printer has entered its setup mode. */
  setupEntered(): void;
  /** GS ( E function 2: the printer was reset, with what was asked of it. */
  setupLeft(): void;
}

/** What a command works on: the modes, the line buffer and the paper of the printer. */
export interface Mechanism {
  readonly effects: Effects | undefined;
  /** Without paper the text is read past, which is many times faster. */
  readonly paper: Paper | undefined;
  readonly modes: Modes;
  /** No character waits in the line buffer. Some commands are commands only then. */
  readonly lineEmpty: boolean;
  /** ESC @: modes as at power-up, and the line buffer is emptied unprinted. */
  initialise(): void;
  /** Prints the line buffer, if anything is in it; true when it was. */
  flushLine(): boolean;
  /** A glyph other than text was put into the line buffer. */
  lineStarted(): void;
  /** GS ( E function 1. */
  enterSetup(): void;
  /** GS ( E function 2. */
  leaveSetup(): void;
  readonly inSetup: boolean;
  /** Obeys bytes as if they had come over the cable. */
  feed(bytes: Uint8Array): void;
}

/** One command of the printer: how long it is, and what it does. */
export interface Command {
  /** Bytes of lead, function and fixed parameters. A function is asked again as more bytes come. */
  readonly size: number | ((head: Uint8Array) => number);
  /** Bytes that follow the head and are data, whatever they look like. */
  readonly payload?: (head: Uint8Array, on: Mechanism) => number;
  /** Takes the payload as it comes; `offset` counts from its beginning. */
  readonly piece?: (on: Mechanism, head: Uint8Array, offset: number, bytes: Uint8Array) => void;
  /** What a command of three bytes does with its parameter. Most commands are such, and this is the short way. */
  readonly mode?: (modes: Modes, n: number, on: Mechanism) => void;
  readonly run?: (on: Mechanism, head: Uint8Array, payload: Uint8Array) => void;
  /** Obeyed even while the printer is not selected. */
  readonly always?: true;
  /** Whether it is obeyed in setup mode; none is where this is left out. */
  readonly inSetup?: (head: Uint8Array) => boolean;
  /** Heads without a lead that follow this command. */
  readonly series?: (head: Uint8Array) => { readonly command: Command; readonly left: number };
}

/** The little-endian number of 16 bits at an index. */
export const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);
/** The little-endian number of 32 bits at an index. */
export const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) + u16(bytes, at + 2) * 0x1_0000;
/** Parameters that may be given as a number or as its ASCII digit. */
export const digit = (byte: number): number => (byte >= 0x30 ? byte - 0x30 : byte);
