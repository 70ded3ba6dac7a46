/** Types of the printer's commands, and of what they change. */

import type { Paper } from '../paper/paper.ts';
import type { NonVolatile } from '../state/memory.ts';
import type { Modes } from '../state/modes.ts';

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
  /** Bytes that the printer sends as they are. */
  answer(...bytes: readonly number[]): void;
}

/** What a command works on: the modes, the line buffer and the paper of the printer. */
export interface Mechanism {
  readonly effects: Effects | undefined;
  /** The paper; where there is none the text is read past, which is many times faster. */
  readonly paper: Paper | undefined;
  readonly modes: Modes;
  /** Largest multiple of the character size. */
  readonly maxSize: number;
  /** What outlasts ESC @ and the power. */
  nonVolatile: NonVolatile;
  /** No character waits in the line buffer. Some commands are commands only then. */
  readonly lineEmpty: boolean;
  /** How many heads of a series are still to come. */
  readonly seriesLeft: number;
  /** GS T: what waits in the line buffer is dropped. */
  discardLine(): void;
  /** Back to standard mode: the page is printed, or dropped. */
  endPage(print: boolean): void;
  /** ESC @: modes as at power-up, and the line buffer is emptied unprinted. */
  initialise(): void;
  /** Prints the line buffer, if anything is in it; true when it was. */
  flushLine(): boolean;
  /** A glyph other than text was put into the line buffer. */
  lineStarted(): void;
  /** GS :, begins or ends the definition of a macro; GS ^ runs it: false where there is none. */
  markMacro(): void;
  runMacro(times: number): boolean;
  /** GS ( E function 1. */
  enterSetup(): void;
  /** GS ( E function 2. */
  leaveSetup(): void;
  readonly inSetup: boolean;
  /** Obeys bytes as if they had come over the cable. */
  feed(bytes: Uint8Array): void;
}

/** One command of the printer: how long it is, and what it does. */
export interface VirtualCommand {
  /** Bytes of lead, function and fixed parameters. A function is asked again as more bytes come. */
  readonly size: number | ((head: Uint8Array) => number);
  /** Bytes that follow the head and are data, whatever they look like. */
  readonly payload?: (head: Uint8Array, on: Mechanism) => number;
  /** Takes the payload as it comes; `offset` counts from its beginning. */
  readonly piece?: (on: Mechanism, head: Uint8Array, offset: number, bytes: Uint8Array) => void;
  /** What a command of three bytes does with its parameter. Most commands are such, and this is the short way. */
  readonly mode?: (modes: Modes, n: number, on: Mechanism) => unknown;
  /** False where nothing of it is shown: the paper then names it. So it does for a command that has none of these. */
  readonly run?: (on: Mechanism, head: Uint8Array, payload: Uint8Array) => unknown;
  /** Obeyed even while the printer is not selected. */
  readonly always?: true;
  /** Whether it is obeyed in setup mode; none is where this is left out. */
  readonly inSetup?: (head: Uint8Array) => boolean;
  /** Heads without a lead that follow this command. */
  readonly series?: (head: Uint8Array) => { readonly command: VirtualCommand; readonly left: number };
}

/** The little-endian number of 16 bits at an index. */
export const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);
/** The little-endian number of 32 bits at an index. */
export const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) + u16(bytes, at + 2) * 0x1_0000;
/** Parameters that may be given as a number or as its ASCII digit. */
export const digit = (byte: number): number => (byte >= 0x30 ? byte - 0x30 : byte);

export const [DLE, ESC, FS, GS] = [0x10, 0x1b, 0x1c, 0x1d] as const;
/** The bytes that open commands. */
export const LEADS: readonly number[] = [DLE, ESC, FS, GS];

/**
 * Bytes of a command whose third byte is no function of it: what follows is text. A lead byte in that place is not part of the
 * command, and begins another one.
 */
export const withoutFunction = (head: Uint8Array): number => (LEADS.includes(head[2]!) ? 2 : 3);

/** The lead byte, the bytes of which each makes a command behind it, and what they do. */
export type CommandEntry = readonly [lead: number, seconds: string, command: VirtualCommand];

/** A command of three bytes that sets a mode. */
export const mode = (set: NonNullable<VirtualCommand['mode']>): VirtualCommand => ({ size: 3, mode: set });

/** ESC a, GS L and others are commands at the beginning of a line only, and not in page mode. */
export const atLineStart = (on: Mechanism): boolean => on.lineEmpty && !on.modes.page;

/** Dots of so many units of motion along the row. On a page that lies on its side the units of both ways change places. */
export const along = ({ modes }: Mechanism, units: number): number =>
  Math.round(units * (modes.page && modes.direction % 2 === 1 ? modes.unitY : modes.unitX));
/** The same across the row. */
export const down = ({ modes }: Mechanism, units: number): number =>
  Math.round(units * (modes.page && modes.direction % 2 === 1 ? modes.unitX : modes.unitY));
/** The number of 16 bits at an index, with its sign. */
export const s16 = (bytes: Uint8Array, at: number): number => (u16(bytes, at) << 16) >> 16;
