/**
 * Which bytes of a job are sure to leave dots on the paper: text once its line ends or is full, as another command may wipe it or go back
 * over it before, and pictures that have a dot. What only may (a logo, a bar code, a macro) is none, and what only stores, sets or feeds is
 * none either: whoever sends these keeps the printer from others.
 */
import type { EscposCommand } from './escpos-command-lengths.ts';
import type { MacroDefinition } from './escpos-macro.ts';
import type { PrinterMode } from './escpos-mode.ts';

/** More characters than a line of any printer has: with nothing between them that moves the next one, they have filled one. */
const MOST_ON_LINE = 100;

const SPACE = 0x20;
const LF = 0x0a;
const DEL = 0x7f;
const FF = 0x0c;
const CAN = 0x18;

/** m, fn and what stands before the dots of GS ( L functions 112 and 113, which store them. */
const DOTS_AT: Readonly<Record<number, number>> = { 112: 10, 113: 8 };
/** The two numbers of the function of GS ( L that prints the stored dots. */
const PRINTS_STORED = [2, 50];

/** Follows one stream. */
export class Inking {
  readonly #mode: PrinterMode;
  readonly #macro: MacroDefinition;
  #inked = false;
  /** The line that has not ended has ink; and how many characters have come since the last command. */
  #line = false;
  #run = 0;
  /** The page that is not printed yet has ink; so have the graphics that are stored. */
  #page = false;
  #graphics = false;
  /** The command whose payload comes, how much of that came, and its function, the second byte of it. */
  #ink: EscposCommand['ink'];
  #done = 0;
  #fn: number | undefined;
  /** True where its picture stands in the line, as a character does. */
  #isInLine = false;

  constructor(mode: PrinterMode, macro: MacroDefinition) {
    this.#mode = mode;
    this.#macro = macro;
  }

  /** True where some came since this was asked last. */
  take(): boolean {
    const inked = this.#inked;
    this.#inked = false;
    return inked;
  }

  /** Text, from index `from` to `to`. */
  text(bytes: Uint8Array, from: number, to: number): void {
    if (this.#isUnheard) return;
    if (this.#mode.pageMode) this.#pageText(bytes, from, to);
    else this.#lineText(bytes, from, to);
  }

  #lineText(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    for (; at < to && !this.#inked; at += 1) {
      const byte = bytes[at]!;
      if (byte > SPACE && byte !== DEL) {
        this.#line = true;
        this.#run += 1;
        this.#inked = this.#run > MOST_ON_LINE;
      } else if (byte === LF || byte === FF) this.#endLine();
    }
    // Not all of it is looked at where some is known to print.
    if (at < to) this.#line = bytes[to - 1]! > SPACE;
  }

  #endLine(): void {
    this.#inked ||= this.#line;
    this.#line = false;
    this.#run = 0;
  }

  #pageText(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at]!;
      if (byte > SPACE && byte !== DEL) this.#page = true;
      else if (byte === CAN) this.#page = false;
      else if (byte === FF) {
        this.#printPage();
        this.#page = false;
        this.#lineText(bytes, at + 1, to);
        return;
      }
    }
  }

  /** A whole header. */
  command({ ink, role }: EscposCommand): void {
    this.#run = 0;
    if (role === 'printLine' && !this.#mode.pageMode && !this.#isUnheard) this.#endLine();
    if (role === 'initialize') this.#line = false;
    this.#ink = ink === undefined || this.#isUnheard ? undefined : ink;
    if (role === 'none' && ink === undefined) return;
    this.#done = 0;
    this.#fn = undefined;
    this.#isInLine = role === 'inLine';
    if (this.#ink === 'page' && this.#mode.pageMode) this.#printPage();
    if (role === 'pageMode' || role === 'standardMode' || role === 'initialize') this.#page = false;
    if (role === 'initialize') this.#graphics = false;
  }

  /** `count` bytes of the payload of that command, from an index on. True where they have left ink. */
  payload(bytes: Uint8Array, at: number, count: number): boolean {
    if (this.#ink === undefined) return false;
    const done = this.#done;
    this.#done += count;
    if (this.#ink === 'data') return this.#isSet(bytes, at, count) && this.#leave();
    if (done <= 1 && done + count > 1) {
      this.#fn = bytes[at + 1 - done]!;
      if (PRINTS_STORED.includes(this.#fn) && this.#graphics) {
        this.#graphics = false;
        return this.#leave();
      }
    }
    const header = DOTS_AT[this.#fn ?? 0];
    if (header === undefined) return false;
    const skipped = Math.min(count, Math.max(0, header - done));
    this.#graphics ||= this.#isSet(bytes, at + skipped, count - skipped);
    return false;
  }

  /** The printer obeys none of it now: it is deselected, or in its setup mode, or it is in a macro. */
  get #isUnheard(): boolean {
    return this.#mode.deselectedBy !== undefined || this.#mode.setup || this.#macro.isOpen;
  }

  #isSet(bytes: Uint8Array, at: number, count: number): boolean {
    for (let index = at; index < at + count; index += 1) if (bytes[index] !== 0) return true;
    return false;
  }

  #leave(): true {
    if (this.#mode.pageMode) this.#page = true;
    else if (this.#isInLine) this.#line = true;
    else this.#inked = true;
    return true;
  }

  #printPage(): void {
    this.#inked ||= this.#page;
  }
}
