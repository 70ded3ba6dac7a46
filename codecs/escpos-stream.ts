/**
 * The filter of port 9100: ESC/POS in, the same bytes out, without the commands that a client may not send. It finds the
 * ends of commands and payloads by the length table. Printers differ on these ends, so the drawer does not depend on them:
 * `Trail` (escpos-trail.ts) stops the dangerous bytes in any place. The filter does what needs a place between commands:
 * removing whole pulse commands, answering DLE EOT, letting other jobs in, completing what a job left open.
 */
import { disablesRealtime, REALTIME_PULSE_DISABLE } from './escpos.ts';
import { type Boundaries, openCharacter } from './escpos-boundaries.ts';
import type { EscposCommand } from './escpos-command-lengths.ts';
import { HeldBytes } from './escpos-held.ts';
import { hidesFunction, isLasting } from './escpos-lasting.ts';
import { GS_COLON, MacroDefinition } from './escpos-macro.ts';
import {
  awaitedBy,
  beginningOfLine,
  endingOf,
  FAR,
  followCommand,
  followText,
  freshMode,
  isInPairs,
  isModeClear,
  isReady,
  isReadyOnLine,
  type PrinterMode,
  settleMode,
} from './escpos-mode.ts';
import { AFTER_REALTIME, NULS, ONE_NUL } from './escpos-open-ends.ts';
import { completionOf, MAX_PAYLOAD, Payload, silence } from './escpos-payload.ts';
import { isAnswered, StreamProgress } from './escpos-progress.ts';
import { StreamOutput } from './escpos-stream-output.ts';
import { type Dropped, STRETCH, type StreamOptions, type StreamSink } from './escpos-stream-sink.ts';
import { BEL, DLE, isLead, LEADS, newToken, readToken } from './escpos-tokenizer.ts';
import { LeadFinder, partEnd } from './lead-finder.ts';

const EMPTY = new Uint8Array(0);
const LEADS_AND_BEL = [...LEADS, BEL];
/** The filter for one connection. */
export class EscposStream {
  readonly progress: StreamProgress;
  readonly #options: StreamOptions;
  readonly #mode: PrinterMode;
  readonly #token = newToken();
  readonly #leads: LeadFinder;
  readonly #stretch: number;
  readonly #silenced: readonly number[];
  #sink: StreamSink | undefined;
  readonly #out: StreamOutput;
  readonly #held = new HeldBytes((bytes, until) => this.#read(bytes, until));
  readonly #payload = new Payload();
  readonly #macro = new MacroDefinition();
  /** The printer may wait for more than was counted: of bytes that are only followed, one ran a macro or no manual allows it. */
  isDoubtful = false;
  #isEnding = false;
  /** The modes in which the definition of its macro has left the printer, and in which each run leaves it. */
  #left: Pick<PrinterMode, 'textPending' | 'pageMode'> = freshMode();
  /** What has deselected the printer before the macro that is open: none of it was sent. */
  #deselectedBefore: Uint8Array | undefined;

  constructor(options: StreamOptions, mode: PrinterMode = freshMode()) {
    this.#options = options;
    this.#mode = mode;
    this.progress = new StreamProgress(mode, this.#macro);
    this.#silenced = options.pulseOnBel ? [BEL] : [];
    this.#out = new StreamOutput((bytes, boundaries) => this.#send(bytes, boundaries), mode.last, this.#silenced);
    this.#stretch = options.stretch ?? STRETCH;
    this.#leads = new LeadFinder([...LEADS, ...this.#silenced]);
  }

  /** True between two commands: a command may be inserted here. None of an open macro was sent yet. */
  get atBoundary(): boolean {
    const inHeader = this.#options.asSent === true && this.#held.isHeader;
    return this.#macro.isOpen || !(this.#payload.missing > 0 || inHeader || this.#out.ends.isInside);
  }

  /** The ESC = n to send behind a command of the node at a boundary, which has to select the printer; empty where it is selected. */
  get selection(): Uint8Array {
    return (this.#macro.isOpen ? this.#deselectedBefore : this.#mode.deselectedBy) ?? EMPTY;
  }

  /** True at a boundary where a command of the node would be obeyed without `pause`, too: no printer can still expect bytes. */
  get isSettled(): boolean {
    return this.#macro.isOpen || (this.atBoundary && !this.#out.ends.isOpen && !this.#held.isHeader);
  }

  /** The fewest bytes that the last command still lacks; 0 between two commands. */
  get lacking(): number {
    return this.#payload.lacking || (this.#held.isHeader || this.#out.ends.listOpen ? 1 : 0);
  }

  /** Bytes that complete the last command, were the next ones NULs. */
  get owed(): number {
    return this.#payload.lacking || completionOf(this.#held.bytes);
  }

  /** False where another job could not print, and only this one can end that: it is deselected, in page mode, or records a macro. */
  get mayPause(): boolean {
    return !this.#macro.isOpen && !this.#mode.deselectedBy && !this.#mode.pageMode;
  }

  /** Bytes that were pushed and not forwarded yet. */
  get held(): number {
    return this.#held.bytes.length;
  }

  /** Filters a chunk. May change bytes of `chunk` in place. */
  push(chunk: Uint8Array, sink: StreamSink): void {
    this.#sink = sink;
    if (this.#options.asSent === true) this.#mode.plain = false;
    this.#held.push(chunk);
  }

  /** Something comes in between: inserts NULs where a character or header may still expect bytes. */
  pause(sink: StreamSink): void {
    this.#sink = sink;
    if (!this.#macro.isOpen) this.#out.insert(this.#out.ends.close());
  }

  /** Another job comes in between, which might wipe the text that is left on the line, or go on with it: it is printed. */
  yield(sink: StreamSink): void {
    this.pause(sink);
    this.#out.insert(beginningOfLine(this.#mode));
  }

  /** Ends the job and discards an incomplete command. `inOrder` as of `endingOf`. Returns how many NULs the caller has to send for its payload. */
  end(sink: StreamSink, inOrder = false): number {
    this.#sink = sink;
    for (const bytes of this.#macro.abandon()) this.#sink!.forward(bytes);
    this.#isEnding = true;
    this.#held.end();
    const { missing } = this.#payload;
    this.#payload.end();
    if (missing > 0) {
      // What completes them resets the printer, too.
      settleMode(this.#mode);
      return missing;
    }
    this.#out.insert(this.#out.ends.close());
    for (const bytes of endingOf(this.#mode, inOrder)) this.#out.insert(bytes);
    return 0;
  }

  /** Reads the tokens that begin before `until`. Returns the index of the first unread byte. */
  #read(bytes: Uint8Array, until: number): number {
    this.#out.begin(bytes);
    this.#leads.take(bytes);
    for (let going = true; going && this.#out.at < until; ) {
      if (this.#out.sinceBoundary >= this.#stretch || this.#mode.starts) this.#boundary();
      if (this.#payload.left > 0) this.#takePayload();
      else if (this.#payload.hasParts) going = this.#nextPart();
      else if (!this.#endsText(bytes[this.#out.at]!)) going = this.#text();
      else if (bytes[this.#out.at] === BEL) this.#drop(1, 'pulse');
      else going = this.#command();
    }
    this.#out.end();
    this.#leads.take(EMPTY);
    return this.#out.at;
  }

  #boundary(): void {
    // What is kept may make it too long.
    if (this.#macro.isOpen) this.#out.flush();
    const { isOpen } = this.#macro;
    if (this.#payload.lacking === 0 && (isOpen || !this.#out.ends.isOpen))
      this.#out.boundary(this.#sink!, !isOpen && isReady(this.#mode));
  }

  #endsText(byte: number): boolean {
    return isLead(byte) || (byte === BEL && this.#options.pulseOnBel);
  }

  /** False where all of it is of a character of which more may come: it waits for that, as a line prints nothing before its end. */
  #text(): boolean {
    const { bytes, at, ends } = this.#out;
    const next = this.#leads.next(at + 1);
    const takesAll = isReadyOnLine(this.#mode) && !this.#macro.isOpen && !ends.listOpen;
    const most = takesAll ? next : partEnd(bytes, at, next, this.#stretch);
    const taken = ends.afterUnknown.length;
    const mayHold = takesAll && next === bytes.length && !this.#isEnding && this.#options.asSent !== true;
    const end = mayHold ? most - openCharacter(bytes, at + taken, this.#mode.shiftJis) : most;
    if (end === at) return false;
    this.progress.text(bytes, at, end, taken);
    followText(this.#mode, bytes, at, end, taken);
    if (takesAll) this.#out.passLines(end, taken, this.#mode.shiftJis);
    else this.#out.passText(end, isInPairs(this.#mode));
    return true;
  }

  /** Reads one command. False where it is not complete yet. */
  #command(): boolean {
    const token = this.#token;
    const { bytes, at } = this.#out;
    const kind = readToken(bytes, at, bytes.length, token);
    if (kind !== 'unknown' && this.#endsDisplayCommand(kind === 'command')) return true;
    if (kind === 'more' || (kind === 'command' && hidesFunction(token, bytes, at, this.#options))) return false;
    if (kind === 'unknown') {
      this.#mode.plain = false;
      this.#mode.sinceCommand = 0;
      this.#out.passUnknown();
    } else if (this.#options.asSent === true) this.#follow();
    else if (token.command.isSetting) this.#known();
    else if (token.command.allows?.(bytes, at) === false) this.#drop(token.length);
    else if (token.payload > MAX_PAYLOAD) this.#discard('oversized');
    else if (!isModeClear(this.#mode, token, bytes, at, this.#macro.isOpen)) this.#discard();
    else this.#permitted(token.command);
    return true;
  }

  /** What is for a customer display is as long as the display has it. `isWhole`: a printer has all of the header. */
  #endsDisplayCommand(isWhole: boolean): boolean {
    if (this.#mode.deselectedBy === undefined || this.#options.asSent === true) return false;
    this.#mode.sinceCommand = 0;
    return this.#out.endsBeforeSelection(isWhole ? this.#token.length : this.#out.bytes.length - this.#out.at);
  }

  #follow(): void {
    const { command, length, payload } = this.#token;
    const { bytes, at } = this.#out;
    const isWhole = command.role !== 'barcode' || bytes.length >= at + length + payload;
    this.isDoubtful ||= !isWhole || command.role === 'runMacro' || command.allows?.(bytes, at) === false;
    if (command.role === 'lineStart') this.#out.picture(this.#sink!);
    this.#keep();
  }

  #permitted(command: EscposCommand): void {
    const b = this.#out.bytes;
    const at = this.#out.at;
    const { length, payload } = this.#token;
    const { role } = command;
    switch (role) {
      case 'pulse':
      case 'realtime':
        this.#drop(length, role);
        break;
      case 'status':
        this.#drop(length, isAnswered(b[at + 2]!) ? undefined : 'realtime');
        if (isAnswered(b[at + 2]!)) this.#sink!.status(b[at + 2]!);
        break;
      case 'macro':
        if (this.#macro.isOpen) this.#endMacro();
        else this.#beginMacro();
        break;
      case 'runMacro':
        this.#runMacro(b.slice(at, at + length));
        break;
      case 'download':
      case 'barcode':
      case 'lineStart':
      case 'pageMode':
        // In page mode printers ignore a definition, or its header alone.
        if (role === 'download' && this.#mode.pageMode) this.#discard();
        else this.#beginLine();
        break;
      default:
        if (role === 'realtimeSwitch' && !disablesRealtime(b, at + length, payload)) this.#discard('realtime');
        else if (isLasting(command, b, at + length, this.#options)) this.#discard('settings');
        else this.#known();
    }
  }

  /** Handles a complete header; the payload may still be to come. */
  #known(): void {
    this.#endUnknown();
    if (this.#mode.afterMacro) this.#out.insert(AFTER_REALTIME);
    this.#mode.afterMacro = false;
    if (!this.#payload.takes(this.#token)) this.#discard('oversized');
    else if (this.#out.isCounted(this.#token, this.#awaited)) this.#keep();
    else this.#discard();
  }

  #keep(): void {
    const b = this.#out.bytes;
    const at = this.#out.at;
    const { command, length, open } = this.#token;
    if (command.payload !== undefined || b[at] === DLE) this.#mode.plain = false;
    if (this.#silenced.length > 0) silence(b.subarray(at, at + length), this.#silenced);
    this.progress.command(command, b, at);
    this.#out.pass(length);
    this.#mode.sinceCommand = 0;
    this.#payload.begin(this.#token, b[at + 2]!);
    this.#out.ends.listOpen = command.role === 'list' && open;
    if (open && !this.#out.ends.listOpen && this.#options.asSent !== true) this.#out.insert(ONE_NUL);
    if (command.role === 'cut' && !this.#mode.deselectedBy && !this.#macro.isOpen) this.#sink!.cut();
    followCommand(this.#mode, this.#token, b, at);
    if (command.role === 'initialize' && this.#options.realtimePulseDisable && !this.#mode.deselectedBy)
      this.#out.insert(REALTIME_PULSE_DISABLE);
  }

  /** Some printers read an image as text unless it begins a line (Epson TM-T88III, Bixolon SRP-330II: GS v 0). */
  #beginLine(): void {
    this.#macro.beginsLine ||= this.#macro.isOpen;
    this.#out.insert(beginningOfLine(this.#mode));
    this.#known();
  }

  /** A macro is sent in one piece, so that the printer records no bytes of another job. */
  #beginMacro(): void {
    this.#drop(GS_COLON.length);
    if (this.#mode.sinceCommand < FAR) this.#out.insert(NULS);
    this.#out.insert(this.#out.ends.close());
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#deselectedBefore = this.#mode.deselectedBy;
    this.#macro.begin();
    this.#mode.afterMacro = true;
  }

  #endMacro(): void {
    if (this.#mode.sinceCommand < FAR) this.#out.insert(NULS);
    if (this.#macro.beginsLine) this.#out.insert(beginningOfLine(this.#mode));
    this.#out.skip(GS_COLON.length);
    // These last bytes may have made it too long.
    if (!this.#macro.isOpen) return;
    const macro = this.#macro.end();
    if (this.#mode.plain) this.#sink!.defineMacro(macro);
    else this.#sink!.forward(macro);
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#mode.ownMacro = true;
    this.#left = { ...this.#mode };
    this.#mode.afterMacro = true;
  }

  #runMacro(command: Uint8Array): void {
    const harmless = command.subarray(2).every((byte) => !this.#endsText(byte));
    const inPlace = !this.#out.ends.inCharacter && !(this.#macro.beginsLine && this.#mode.pageMode);
    const allowed = this.#mode.ownMacro && !this.#macro.isOpen && harmless && inPlace;
    if (allowed) this.#endUnknown();
    if (allowed && this.#macro.beginsLine) this.#out.insert(beginningOfLine(this.#mode));
    this.#drop(command.length, allowed ? undefined : 'pulse');
    if (!allowed) return;
    this.progress.command(this.#token.command, command, 0);
    this.#sink!.runMacro(command);
    this.#mode.afterMacro = true;
    this.#mode.textPending ||= this.#left.textPending;
    this.#mode.pageMode = this.#left.pageMode;
  }

  #takePayload(): void {
    const count = this.#payload.take(this.#out.bytes.length - this.#out.at);
    if (this.#payload.discarding) this.#out.skip(count);
    else {
      const { at, bytes } = this.#out;
      if (this.#awaited !== undefined) silence(bytes.subarray(at, at + count), LEADS_AND_BEL);
      this.progress.payload(bytes, at, count);
      this.#out.pass(count);
    }
  }

  /** Reads the size of the next character or image. False where it is not complete yet. */
  #nextPart(): boolean {
    const payload = this.#payload;
    const { at, bytes } = this.#out;
    const size = bytes.subarray(at, at + payload.partHeader);
    if (size.length < payload.partHeader) return false;
    const asSent = this.#options.asSent === true || payload.discarding;
    const isSilenced = this.#silenced.some((value) => size.includes(value));
    const isRead = !isSilenced && payload.allows(size) && this.#out.guarded(size.length) === undefined;
    if (!asSent && !(isRead && !(this.#awaited !== undefined && size.some(isLead)))) {
      this.#out.insert(payload.breakOff());
      return true;
    }
    payload.nextPart(size);
    if (payload.discarding) this.#out.skip(size.length);
    else this.#out.pass(size.length);
    return true;
  }

  /**
   * A command that the table does not know may take this lead byte for its parameter, or one in the place of a parameter for a
   * command of its own: NULs end it before.
   */
  #endUnknown(): void {
    if (!this.#out.ends.isNearUnknown) return;
    const { command, length } = this.#token;
    const { bytes, at } = this.#out;
    const matters = command.role !== 'none' || command.payload !== undefined;
    if (matters || bytes.subarray(at + 1, at + length).some(isLead)) this.#out.insert(this.#out.ends.afterUnknown);
  }

  /** See `awaitedBy`; undefined of bytes that are only followed. */
  get #awaited(): number | undefined {
    return this.#options.asSent === true ? undefined : awaitedBy(this.#mode, this.#token.command);
  }

  #drop(length: number, what?: Dropped): void {
    this.#out.drop(length);
    if (what) this.#sink!.dropped(what);
  }

  /** Removes a command with its payload. */
  #discard(what?: Dropped): void {
    this.#payload.begin(this.#token, this.#out.bytes[this.#out.at + 2]!, true);
    this.#drop(this.#token.length, what);
  }

  #send(bytes: Uint8Array, boundaries?: Boundaries): void {
    if (!this.#macro.isOpen) this.#sink!.forward(bytes, boundaries);
    else if (!this.#macro.add(bytes)) for (const part of this.#macro.abandon()) this.#sink!.forward(part);
  }
}
