import type { Interpreter } from '../interpreter.ts';
import type { Modes } from '../modes.ts';

/** One command of the printer: how long it is, and what it does. */
export interface Command {
  /** Bytes of lead, function and fixed parameters. A function is asked again as more bytes come. */
  readonly size: number | ((head: Uint8Array) => number);
  /** Bytes that follow the head and are data, whatever they look like. */
  readonly payload?: (head: Uint8Array, on: Interpreter) => number;
  /** Takes the payload as it comes; `offset` counts from its beginning. */
  readonly piece?: (on: Interpreter, head: Uint8Array, offset: number, bytes: Uint8Array) => void;
  /** What a command of three bytes does with its parameter. Most commands are such, and this is the short way. */
  readonly mode?: (modes: Modes, n: number, on: Interpreter) => void;
  readonly run?: (on: Interpreter, head: Uint8Array, payload: Uint8Array) => void;
  /** Obeyed even while the printer is not selected. */
  readonly always?: true;
  /** Heads without a lead that follow this command. */
  readonly series?: (head: Uint8Array) => { readonly command: Command; readonly left: number };
}

export const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);
export const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) + u16(bytes, at + 2) * 0x1_0000;
/** Parameters that may be given as a number or as its ASCII digit. */
export const digit = (byte: number): number => (byte >= 0x30 ? byte - 0x30 : byte);
