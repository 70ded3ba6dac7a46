/**
 * The filter of port 9100: ESC/POS in, the same bytes out, without the commands that a client may not send. It finds the
 * ends of commands and payloads by the length table. Printers differ on these ends, so the drawer does not depend on them:
 * `Trail` (escpos-trail.ts) stops the dangerous bytes in any place. The filter does what needs a place between commands:
 * removing whole pulse commands, answering DLE EOT, letting other jobs in, completing what a job left open.
 */
import { disablesRealtime, REALTIME_PULSE_DISABLE, SELECT_PRINTER } from './escpos.ts';
import type { EscposCommand } from './escpos-command-lengths.ts';
import { isLasting, tellingBytes } from './escpos-lasting.ts';
import { GS_COLON, MacroDefinition } from './escpos-macro.ts';
import { followCommand, followText, freshMode, type PrinterMode, settleMode } from './escpos-mode.ts';
import { NULS, OpenEnds } from './escpos-open-ends.ts';
import { Payload, silence } from './escpos-payload.ts';
import { Progress } from './escpos-progress.ts';
import type { Dropped, StreamOptions, StreamSink } from './escpos-stream-sink.ts';
import { BEL, DLE, ESC, LEADS, LF, LONGEST_UNDECIDED, NUL, newToken, readToken } from './escpos-tokenizer.ts';
import { LeadFinder } from './lead-finder.ts';

/** Bytes of the largest payload that is forwarded; a command that announces more is removed with its payload. */
export const MAX_PAYLOAD = 16 * 1024 * 1024;

const EMPTY = new Uint8Array(0);
const ONE_NUL = Uint8Array.of(NUL);
const ONE_LF = Uint8Array.of(LF);
/** ESC S, standard mode: deletes a page that the job did not print, so that the lines of the next job do not go into it. */
const STANDARD_MODE = Uint8Array.of(ESC, 0x53);
/** Bytes of text after which a command has ended on every printer, also where its maker gave it more parameters. */
const FAR = 8;

/** By byte: 1 where it ends a run of text. */
const ONLY_LEADS = Uint8Array.from({ length: 256 }, (_, byte) => (LEADS.includes(byte) ? 1 : 0));
const LEADS_AND_BEL = ONLY_LEADS.map((lead, byte) => (byte === BEL ? 1 : lead));

/** The filter for one connection. */
export class EscposStream {
  readonly progress = new Progress();
  readonly #options: StreamOptions;
  readonly #mode: PrinterMode;
  readonly #token = newToken();
  readonly #leads: LeadFinder;
  readonly #isLead: Uint8Array;
  #sink: StreamSink | undefined;
  /** The current bytes, the index of the first that is not read yet, and of the first that is not forwarded yet. */
  #bytes: Uint8Array = EMPTY;
  #at = 0;
  #from = 0;
  /** The beginning of a command that is not complete. It is not forwarded. */
  #held: Uint8Array = EMPTY;
  readonly #payload = new Payload();
  /** The payload is removed, as its command was. */
  #discarding = false;
  readonly #ends = new OpenEnds();
  readonly #macro = new MacroDefinition();
  /** What has deselected the printer before the macro that is open: none of it was sent. */
  #deselectedBefore: Uint8Array | undefined;

  constructor(options: StreamOptions, mode: PrinterMode = freshMode()) {
    this.#options = options;
    this.#mode = mode;
    this.#leads = new LeadFinder(options.pulseOnBel ? [...LEADS, BEL] : LEADS);
    this.#isLead = options.pulseOnBel ? LEADS_AND_BEL : ONLY_LEADS;
  }

  /** True between two commands: a command may be inserted here. None of an open macro was sent yet. */
  get atBoundary(): boolean {
    if (this.#macro.isOpen) return true;
    const inHeader = this.#options.asSent === true && this.#held.length > 0;
    return !(this.#missing > 0 || inHeader || this.#ends.isInside);
  }

  /** The ESC = n to send behind a command of the node at a boundary, which has to select the printer; empty where it is selected. */
  get selection(): Uint8Array {
    return (this.#macro.isOpen ? this.#deselectedBefore : this.#mode.deselectedBy) ?? EMPTY;
  }

  /** True at a boundary where a command of the node would be obeyed without `pause`, too: no printer can still expect bytes. */
  get isSettled(): boolean {
    if (this.#macro.isOpen) return true;
    return this.atBoundary && !this.#ends.isOpen && this.#held.length === 0;
  }

  /** The fewest bytes that the last command still lacks; 0 between two commands. */
  get lacking(): number {
    return this.#payload.missing || (this.#held.length > 0 || this.#ends.listOpen ? 1 : 0);
  }

  /**
   * False where another job could not print: the printer is deselected, in page mode, or records a macro, and only this
   * job can end that.
   */
  get mayPause(): boolean {
    return !this.#macro.isOpen && !this.#mode.deselectedBy && !this.#mode.pageMode;
  }

  /** Filters a chunk. May change bytes of `chunk` in place. */
  push(chunk: Uint8Array, sink: StreamSink): void {
    this.#sink = sink;
    if (this.#options.asSent === true) this.#mode.plain = false;
    let rest = chunk;
    if (this.#held.length > 0) {
      const held = this.#held.length;
      const joined = new Uint8Array(held + Math.min(chunk.length, LONGEST_UNDECIDED));
      joined.set(this.#held);
      joined.set(chunk.subarray(0, LONGEST_UNDECIDED), held);
      const read = this.#read(joined, held);
      if (read < held) {
        this.#held = joined.subarray(read);
        return;
      }
      rest = chunk.subarray(read - held);
    }
    const read = this.#read(rest, rest.length);
    this.#held = read < rest.length ? rest.slice(read) : EMPTY;
  }

  /** Another job comes in between: inserts NULs where a character or header may still expect bytes. */
  pause(sink: StreamSink): void {
    this.#sink = sink;
    if (!this.#macro.isOpen) this.#settle();
  }

  /**
   * Ends the job and discards an incomplete command. With `inOrder`, text that is left on the line gets an LF. Returns how
   * many bytes of a payload are missing: the caller has to send as many NULs.
   */
  end(sink: StreamSink, inOrder = false): number {
    this.#sink = sink;
    const mode = this.#mode;
    this.#giveUpMacro();
    this.#held = EMPTY;
    const missing = this.#missing;
    this.#payload.end();
    if (missing > 0) {
      // What completes them resets the printer, too.
      settleMode(mode);
      return missing;
    }
    this.#settle();
    if (mode.deselectedBy && (mode.pageMode || (inOrder && mode.textPending))) {
      // What is deselected would not obey what comes next.
      this.#insert(SELECT_PRINTER);
      mode.deselectedBy = undefined;
    }
    if (inOrder && mode.textPending && !mode.pageMode && !mode.deselectedBy) {
      this.#insert(ONE_LF);
      mode.textPending = false;
    }
    if (mode.pageMode) this.#insert(STANDARD_MODE);
    mode.deselectedBy = undefined;
    mode.pageMode = false;
    return 0;
  }

  get #missing(): number {
    return this.#discarding ? 0 : this.#payload.missing;
  }

  #settle(): void {
    const ending = this.#ends.close();
    if (ending.length > 0) this.#insert(ending);
  }

  /** Reads the tokens that begin before `until`. Returns the index of the first unread byte. */
  #read(bytes: Uint8Array, until: number): number {
    this.#bytes = bytes;
    this.#at = this.#from = 0;
    this.#leads.take(bytes);
    let going = true;
    while (going && this.#at < until) {
      if (this.#payload.left > 0) this.#takePayload();
      else if (this.#payload.hasParts) going = this.#nextPart();
      else if (this.#isLead[bytes[this.#at]!] === 0) this.#text();
      else if (bytes[this.#at] === BEL) this.#drop(1, 'pulse');
      else going = this.#command();
    }
    this.#flush();
    this.#bytes = EMPTY;
    this.#leads.take(EMPTY);
    return this.#at;
  }

  #text(): void {
    const b = this.#bytes;
    const start = this.#at;
    const end = this.#leads.next(start + 1);
    const mode = this.#mode;
    if (this.#ends.listOpen && b.subarray(start, end).includes(NUL)) this.#ends.listOpen = false;
    const prints = followText(mode, b, start, end);
    let plain = end;
    while (plain > start && end - plain < FAR && isPlain(b[plain - 1]!)) plain--;
    mode.sinceCommand = end - plain + (plain === start ? mode.sinceCommand : 0);
    this.progress.text(b, start, end, prints);
    this.#pass(end - start);
    this.#ends.inCharacter = b[end - 1]! >= 0x80;
  }

  /** Reads one command. False where it is not complete yet. */
  #command(): boolean {
    const token = this.#token;
    const kind = readToken(this.#bytes, this.#at, this.#bytes.length, token);
    if (kind === 'more' || (kind === 'command' && this.#hidesFunction)) return false;
    if (kind === 'unknown') {
      this.#mode.plain = false;
      this.#mode.sinceCommand = 0;
      this.#pass(1);
      this.#ends.passedUnknown();
    } else if (this.#options.asSent === true) this.#known();
    else if (token.command.allows?.(this.#bytes, this.#at) === false) this.#drop(token.length);
    else if (token.payload > MAX_PAYLOAD) this.#discard();
    else this.#permitted(token.command);
    return true;
  }

  #permitted(command: EscposCommand): void {
    const b = this.#bytes;
    const at = this.#at;
    const { length, payload } = this.#token;
    const { role } = command;
    switch (role) {
      case 'pulse':
      case 'realtime':
        this.#drop(length, role);
        break;
      case 'status':
        this.#askStatus(b[at + 2]!);
        break;
      case 'realtimeSwitch':
        if (disablesRealtime(b, at + length, payload)) this.#known();
        else this.#discard('realtime');
        break;
      case 'macro':
        if (this.#macro.isOpen) this.#endMacro();
        else this.#beginMacro();
        break;
      case 'runMacro':
        this.#runMacro(b.slice(at, at + length));
        break;
      case 'barcode':
      case 'lineStart':
        this.#startLine();
        this.#known();
        break;
      default:
        if (this.#options.protectSettings === true && isLasting(command, b, at + length)) this.#discard('settings');
        else this.#known();
    }
  }

  /** True where what the command does stands in its payload, matters here, and has not come. */
  get #hidesFunction(): boolean {
    const { command, length, payload } = this.#token;
    const needed = tellingBytes(command, this.#options);
    return needed > 0 && this.#bytes.length < this.#at + length + Math.min(payload, needed);
  }

  #askStatus(n: number): void {
    const { length } = this.#token;
    const answered = length === 3 && n >= 1 && n <= 4;
    this.#drop(length, answered ? undefined : 'realtime');
    if (answered) this.#sink!.status(n);
  }

  /** Handles a complete header; the payload may still be to come. */
  #known(): void {
    const b = this.#bytes;
    const at = this.#at;
    const { command, length, open } = this.#token;
    const stop = at + length;
    if (command.payload !== undefined || b[at] === DLE) this.#mode.plain = false;
    if (this.#options.pulseOnBel) silence(b.subarray(at, stop));
    this.progress.command(command);
    this.#pass(length);
    this.#mode.sinceCommand = 0;
    this.#begin(at, false);
    this.#ends.listOpen = command.role === 'list' && open;
    if (open && !this.#ends.listOpen && this.#options.asSent !== true) this.#insert(ONE_NUL);
    if (command.role === 'cut' && !this.#mode.deselectedBy && !this.#macro.isOpen) this.#sink!.cut();
    followCommand(this.#mode, this.#token, b, at);
    const { realtimePulseDisable } = this.#options;
    if (command.role === 'initialize' && realtimePulseDisable && !this.#mode.deselectedBy)
      this.#insert(REALTIME_PULSE_DISABLE);
  }

  /** Some printers read an image as text unless it begins a line (Epson TM-T88III, Bixolon SRP-330II: GS v 0). */
  #startLine(): void {
    const mode = this.#mode;
    if (mode.deselectedBy || mode.pageMode || !mode.textPending) return;
    this.#insert(ONE_LF);
    mode.textPending = false;
  }

  /** A macro is sent in one piece, so that the printer records no bytes of another job. */
  #beginMacro(): void {
    this.#drop(GS_COLON.length);
    if (this.#mode.sinceCommand < FAR) this.#insert(NULS);
    this.#settle();
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#deselectedBefore = this.#mode.deselectedBy;
    this.#macro.begin();
  }

  #endMacro(): void {
    if (this.#mode.sinceCommand < FAR) this.#insert(NULS);
    this.#skip(GS_COLON.length);
    // These last bytes may have made it too long.
    if (!this.#macro.isOpen) return;
    const macro = this.#macro.end();
    if (this.#mode.plain) this.#sink!.defineMacro(macro);
    else this.#sink!.forward(macro);
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#mode.ownMacro = true;
  }

  #runMacro(command: Uint8Array): void {
    const harmless = command.subarray(2).every((byte) => this.#isLead[byte] === 0);
    const allowed = this.#mode.ownMacro && !this.#macro.isOpen && harmless && !this.#ends.inCharacter;
    this.#drop(command.length, allowed ? undefined : 'pulse');
    if (!allowed) return;
    this.progress.command(this.#token.command);
    this.#sink!.runMacro(command);
  }

  /** Forwards the bytes of a macro definition as plain commands. */
  #giveUpMacro(): void {
    for (const bytes of this.#macro.abandon()) this.#sink!.forward(bytes);
  }

  #begin(at: number, discarding: boolean): void {
    this.#payload.begin(this.#token, this.#bytes[at + 2]!);
    this.#discarding = discarding;
  }

  #takePayload(): void {
    const count = this.#payload.take(this.#bytes.length - this.#at);
    if (this.#discarding) this.#skip(count);
    else {
      if (this.#options.pulseOnBel) silence(this.#bytes.subarray(this.#at, this.#at + count));
      this.progress.payload(count);
      this.#pass(count);
    }
  }

  /** Reads the size of the next character or image. False where it is not complete yet. */
  #nextPart(): boolean {
    const b = this.#bytes;
    const at = this.#at;
    const size = this.#payload.nextPart(b, at);
    if (size === 0) return false;
    if (this.#options.pulseOnBel) silence(b.subarray(at, at + size));
    if (this.#discarding) this.#skip(size);
    else this.#pass(size);
    return true;
  }

  /** Keeps the next `count` bytes. */
  #pass(count: number): void {
    this.#at += count;
    this.#ends.passed(count);
  }

  /** Removes the next `count` bytes. */
  #skip(count: number): void {
    this.#flush();
    this.#at += count;
    this.#from = this.#at;
  }

  /** Removes a command. Where an unknown lead byte stands before it, a NUL takes its place. */
  #drop(length: number, what?: Dropped): void {
    this.#skip(length);
    if (this.#ends.isNearUnknown) this.#insert(ONE_NUL);
    if (what) this.#sink!.dropped(what);
  }

  /** Removes a command with its payload. */
  #discard(what?: Dropped): void {
    const at = this.#at;
    this.#drop(this.#token.length, what);
    this.#begin(at, true);
  }

  /** Inserts bytes that are not part of the stream. */
  #insert(bytes: Uint8Array): void {
    this.#flush();
    this.#send(bytes);
    this.#ends.inserted();
  }

  #flush(): void {
    if (this.#from < this.#at) this.#send(this.#bytes.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }

  #send(bytes: Uint8Array): void {
    if (!this.#macro.isOpen) this.#sink!.forward(bytes);
    else if (!this.#macro.add(bytes)) this.#giveUpMacro();
  }
}

const isPlain = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === LF;
