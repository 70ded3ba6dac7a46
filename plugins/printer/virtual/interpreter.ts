/**
 * The ESC/POS interpreter of the virtual printer, written from Epson's ESC/POS command reference and the command manuals of
 * the TM-T88III and TM-T88VI. It shares no code with the encoder of the node and the filter of port 9100,
 * because tests check those two with it.
 */

import { type Effects, LEADS, type Mechanism, type VirtualCommand } from './commands/command.ts';
import { commandAt } from './commands/commands.ts';
import { commandName } from './commands/names.ts';
import { Macro } from './macro.ts';
import type { PaperModel } from './paper/model.ts';
import type { Paper } from './paper/paper.ts';
import { concatenated } from './state/bytes.ts';
import { lackKey } from './state/lacks.ts';
import { FACTORY, type NonVolatile } from './state/memory.ts';
import { initialModes, type Modes } from './state/modes.ts';

interface Payload {
  readonly command: VirtualCommand;
  readonly head: Uint8Array;
  readonly size: number;
  done: number;
  /** The bytes so far, the last piece first. */
  kept: Kept | undefined;
}

interface Kept {
  readonly bytes: Uint8Array;
  readonly before: Kept | undefined;
}

interface State {
  modes: Modes;
  macro: Macro;
  nonVolatile: NonVolatile;
  /** GS ( E function 1: until function 2 it prints nothing, and obeys the commands of its settings alone. */
  setup: boolean;
  /** The line buffer is empty. Some commands are only obeyed then. */
  lineEmpty: boolean;
  /** The beginning of an incomplete command. */
  held: Uint8Array;
  payload: Payload | undefined;
  /** Parts without a lead byte that follow a command, and how many are left. */
  series: { readonly command: VirtualCommand; readonly left: number } | undefined;
}

/** The state of the interpreter between two bytes. */
export type Snapshot = Readonly<State>;

const EMPTY = new Uint8Array();
const [FF, CAN] = [0x0c, 0x18];
const PARENTHESIS = 0x28;
/** A payload longer than the memory of the printer is skipped. */
const MEMORY_BYTES = 1024 * 1024;

const initialState = (nonVolatile: NonVolatile): State => ({
  modes: initialModes(),
  macro: new Macro(),
  nonVolatile,
  setup: false,
  lineEmpty: true,
  held: EMPTY,
  payload: undefined,
  series: undefined,
});

const copyOf = (state: Snapshot): State => ({
  ...state,
  modes: { ...state.modes },
  macro: state.macro.copy(),
  payload: state.payload && { ...state.payload },
});

const IS_LEAD = Uint8Array.from({ length: 256 }, (_, byte) => (LEADS.includes(byte) ? 1 : 0));

/** Index of the end of the text at `from`, or of the bytes searched: 256 one by one, then 16 KiB with `indexOf`. */
const textEnd = (bytes: Uint8Array, from: number): number => {
  const near = Math.min(bytes.length, from + 256);
  let at = from;
  while (at < near && IS_LEAD[bytes[at]!] === 0) at += 1;
  if (at < near || at === bytes.length) return at;
  const far = bytes.subarray(at, at + 16_384);
  return (
    at +
    LEADS.map((lead) => far.indexOf(lead)).reduce((end, found) => (found < 0 || found > end ? end : found), far.length)
  );
};

/** Obeys bytes: prints on `paper` and reports pulses and answers to `effects`, where these are given. */
export class Interpreter implements Mechanism {
  readonly effects: Effects | undefined;
  /** Undefined: text is skipped, which is many times faster. */
  readonly paper: Paper | undefined;
  /** What its model does not have. */
  model: Pick<PaperModel, 'lacks' | 'maxSize'>;
  #state = initialState(FACTORY);
  /** Bytes that are obeyed within a command: a macro that runs, data that were none. */
  #depth = 0;

  constructor(outputs: { readonly effects?: Effects; readonly paper?: Paper } = {}, model: Interpreter['model'] = {}) {
    this.model = model;
    this.effects = outputs.effects;
    this.paper = outputs.paper;
  }

  get maxSize(): number {
    return this.model.maxSize ?? 8;
  }

  get modes(): Modes {
    return this.#state.modes;
  }

  get lineEmpty(): boolean {
    return this.#state.lineEmpty;
  }

  get inSetup(): boolean {
    return this.#state.setup;
  }

  get nonVolatile(): NonVolatile {
    return this.#state.nonVolatile;
  }

  set nonVolatile(nonVolatile: NonVolatile) {
    this.#state.nonVolatile = nonVolatile;
  }

  get seriesLeft(): number {
    return this.#state.series?.left ?? 0;
  }

  get inPayload(): boolean {
    return this.#state.payload !== undefined;
  }

  snapshot(): Snapshot {
    return copyOf(this.#state);
  }

  restore(snapshot: Snapshot): void {
    this.#state = copyOf(snapshot);
    if (this.modes.page) this.paper?.beginPage();
  }

  /** Sets the state after power-up: what was in the line buffer or on a page is lost. */
  reset(): void {
    this.#state = initialState(this.nonVolatile);
    this.paper?.dropPage();
  }

  /** What was not printed is lost, as with `ESC @`. */
  enterSetup(): void {
    this.initialise();
    this.#state.setup = true;
  }

  /** A software reset: as after power-up. */
  leaveSetup(): void {
    this.reset();
  }

  /** ESC @: sets the modes after power-up and discards the line buffer. */
  initialise(): void {
    this.#state.modes = initialModes();
    this.#state.lineEmpty = true;
    this.paper?.dropPage();
  }

  discardLine(): void {
    this.#state.lineEmpty = true;
    this.paper?.discardLine();
  }

  endPage(print: boolean): void {
    if (!this.modes.page) return;
    if (print) this.paper?.printPage(false);
    else this.paper?.dropPage();
    this.modes.page = false;
    this.#state.lineEmpty = true;
  }

  markMacro(): void {
    this.#state.macro.mark();
  }

  runMacro(times: number): boolean {
    const { macro } = this.#state;
    const bytes = macro.toRun(times);
    for (let run = 0; bytes && run < times; run += 1) this.feed(bytes);
    return bytes !== undefined;
  }

  /** Prints the line buffer, if anything is in it; true when it was. */
  flushLine(): boolean {
    const printed = !this.#state.lineEmpty;
    this.#state.lineEmpty = true;
    this.paper?.endLine(this.modes);
    return printed;
  }

  /** A picture was put into the line buffer. */
  lineStarted(): void {
    this.#state.lineEmpty = false;
  }

  feed(bytes: Uint8Array): void {
    this.#depth += 1;
    this.#obeyAll(bytes);
    this.#depth -= 1;
  }

  #obeyAll(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const from = at;
      const { macro } = this.#state;
      const outermost = this.#depth === 1;
      const { recording } = macro;
      const resumed = this.#state.held.length > 0;
      if (this.#state.payload) at = this.#payload(this.#state.payload, bytes, at);
      else if (resumed) at = this.#resume(bytes, at);
      else if (this.#state.series || IS_LEAD[bytes[at]!] === 1) at += this.#command(bytes, at);
      else at = this.#text(bytes, at);
      // What is held counts when it is obeyed.
      if (!outermost || resumed || this.#state.held.length > 0) continue;
      macro.received(at - from);
      if (recording) macro.record(bytes.subarray(from, at));
    }
  }

  #text(bytes: Uint8Array, from: number): number {
    const end = textEnd(bytes, from);
    if (!this.modes.selected || this.inSetup) return end;
    return this.modes.page ? this.#pageText(bytes, from, end) : this.#lineText(bytes, from, end);
  }

  #lineText(bytes: Uint8Array, from: number, end: number): number {
    this.paper?.text(bytes, from, end, this.modes);
    for (let at = end - 1; at >= from; at -= 1) {
      const byte = bytes[at]!;
      if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c) continue;
      this.#state.lineEmpty = byte === 0x0a || byte === 0x0c;
      break;
    }
    return end;
  }

  /** In page mode FF prints the page, and CAN drops what stands in the area. */
  #pageText(bytes: Uint8Array, from: number, end: number): number {
    const stop = bytes.subarray(from, end).findIndex((byte) => byte === FF || byte === CAN);
    if (stop < 0) return this.#lineText(bytes, from, end);
    if (stop > 0) this.#lineText(bytes, from, from + stop);
    if (bytes[from + stop] === FF) this.endPage(true);
    else this.paper?.clearArea();
    return from + stop + 1;
  }

  /** Executes the command that begins at `at`. Returns how many of its bytes are done. */
  #command(bytes: Uint8Array, at: number): number {
    const { series } = this.#state;
    const command = series ? series.command : at + 1 < bytes.length ? this.#commandAt(bytes, at) : 'more';
    // Of an unknown command only the lead byte is skipped: the next byte may begin another command.
    if (!command) {
      if (this.modes.selected && !this.inSetup) this.paper?.ignore(commandName(bytes.subarray(at, at + 2), EMPTY));
      return 1;
    }
    const size =
      command === 'more' ? 2 : typeof command.size === 'number' ? command.size : command.size(bytes.subarray(at));
    if (command === 'more' || at + size > bytes.length) {
      this.#state.held = bytes.slice(at);
      return bytes.length - at;
    }
    if (series) this.#state.series = series.left > 1 ? { command, left: series.left - 1 } : undefined;
    if (command.mode) {
      this.#run(command, bytes.subarray(at, at + size), EMPTY);
      return size;
    }
    const head = bytes.subarray(at, at + size);
    const length = this.modes.selected ? (command.payload?.(head, this) ?? 0) : 0;
    if (length > 0) this.#state.payload = { command, head: head.slice(), size: length, done: 0, kept: undefined };
    else this.#run(command, head, EMPTY);
    return size;
  }

  /** Undefined for one that its model does not know, too. */
  #commandAt(bytes: Uint8Array, at: number): VirtualCommand | undefined {
    const [lead, second] = [bytes[at]!, bytes[at + 1]!];
    return this.model.lacks?.get(lackKey(lead, second)) === 'unknown' ? undefined : commandAt(lead, second);
  }

  /** Continues an incomplete command, one byte at a time, because headers are short. */
  #resume(bytes: Uint8Array, at: number): number {
    const held = Uint8Array.of(...this.#state.held, bytes[at]!);
    this.#state.held = EMPTY;
    this.#obeyAll(held);
    return at + 1;
  }

  #payload(payload: Payload, bytes: Uint8Array, at: number): number {
    const { command, head, size } = payload;
    const end = Math.min(bytes.length, at + size - payload.done);
    if (this.#obeys(command, head)) command.piece?.(this, head, payload.done, bytes.subarray(at, end));
    if (command.run && size <= MEMORY_BYTES) payload.kept = { bytes: bytes.slice(at, end), before: payload.kept };
    payload.done += end - at;
    if (payload.done === size) {
      this.#state.payload = undefined;
      if (size <= MEMORY_BYTES) this.#run(command, head, joined(payload.kept));
    }
    return end;
  }

  #obeys(command: VirtualCommand, head: Uint8Array): boolean {
    if (this.inSetup) return command.inSetup?.(head) ?? false;
    return this.modes.selected || command.always === true;
  }

  #obey(command: VirtualCommand, head: Uint8Array, payload: Uint8Array): void {
    const { paper } = this;
    if (paper) paper.commands += 1;
    const [lead = 0, second = 0, third = 0] = head;
    const lack = this.model.lacks?.get(lackKey(lead, second, second === PARENTHESIS ? third : 0));
    const shown = lack === undefined && this.#does(command, head, payload);
    if (shown === false) paper?.ignore(commandName(head, payload), lack);
  }

  #does(command: VirtualCommand, head: Uint8Array, payload: Uint8Array): unknown {
    return command.mode
      ? command.mode(this.modes, head[2]!, this)
      : command.run
        ? command.run(this, head, payload)
        : command.piece !== undefined || command.series !== undefined;
  }

  #run(command: VirtualCommand, head: Uint8Array, payload: Uint8Array): void {
    if (this.#obeys(command, head)) this.#obey(command, head, payload);
    const series = this.modes.selected ? command.series?.(head) : undefined;
    if (series && series.left > 0) this.#state.series = series;
  }
}

const joined = (last: Kept | undefined): Uint8Array => {
  if (!last?.before) return last?.bytes ?? EMPTY;
  const pieces: Uint8Array[] = [];
  for (let piece: Kept | undefined = last; piece; piece = piece.before) pieces.push(piece.bytes);
  return concatenated(pieces.reverse());
};
