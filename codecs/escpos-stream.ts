/**
 * The filter of port 9100: ESC/POS in, the same bytes out, but for commands that a client has no right to. It knows where
 * commands and payloads begin and end as far as the length table tells. Printers do not agree on that, so that no till
 * stays shut because of it: what may never leave is stopped by `Trail` (escpos-trail.ts), in any place. The count is for
 * what only makes sense between commands: taking pulses out whole, answering DLE EOT, letting others in, completing what
 * a job left open.
 */
import { disablesRealtime, REALTIME_PULSE_DISABLE } from './escpos.ts';
import type { EscposCommand } from './escpos-commands.ts';
import { GS_COLON, MacroDefinition } from './escpos-macro.ts';
import { followCommand, freshMode, type PrinterMode, settleMode } from './escpos-mode.ts';
import { Payload } from './escpos-payload.ts';
import { DLE, ESC, LEADS, LF, LONGEST_UNDECIDED, NUL, newToken, readToken } from './escpos-tokenizer.ts';
import { LeadFinder } from './lead-finder.ts';

export interface StreamSink {
  /** Bytes for the printer, in order: views into the chunk, but for the few that were held or put in. */
  forward(bytes: Uint8Array): void;
  /** A macro, GS : to GS :, for a printer that has read every command so far: it begins and ends with it for certain. */
  defineMacro(bytes: Uint8Array): void;
  /** GS ^ of a macro that this job defined: the only one that may leave, and not where a pulse may be in the macro. */
  runMacro(bytes: Uint8Array): void;
  /** DLE EOT n (1 to 4) met between commands; called in stream order. */
  status(n: number): void;
  /** A command was dropped: ESC p, DLE DC4 1, BEL, GS ^; or other real-time commands, and GS ( D that would enable them. */
  dropped(what: 'pulse' | 'realtime'): void;
}

export interface StreamOptions {
  /** The printer knows GS ( D: send it after each ESC @, which may put it back to its default. */
  readonly realtimePulseDisable: boolean;
  /** The printer pulses on BEL. */
  readonly pulseOnBel: boolean;
  /** The printer was sent every byte as it is: what it makes of them is followed, and nothing is done about it. */
  readonly asSent?: boolean;
}

/** No printer takes a larger payload; one that is announced is thrown away unprinted. */
export const MAX_PAYLOAD = 16 * 1024 * 1024;

const BEL = 0x07;
const HT = 0x09;
const FF = 0x0c;
const EMPTY = new Uint8Array(0);
const ONE_NUL = Uint8Array.of(NUL);
const ONE_LF = Uint8Array.of(LF);
/** The most that may follow the first byte of a character (UTF-8, GB18030), or an unknown lead byte. */
const NEAR = 3;
const NULS = new Uint8Array(NEAR);
/** ESC S: the page that nobody printed is gone with the job, and the next one's lines are not kept in it. */
const STANDARD_MODE = Uint8Array.of(ESC, 0x53);
/** After so much text even a printer that takes a command for a longer one is past it. */
const FAR = 8;

/** 1 for the bytes that end a run of text. */
const ONLY_LEADS = Uint8Array.from({ length: 256 }, (_, byte) => (LEADS.includes(byte) ? 1 : 0));
const LEADS_AND_BEL = ONLY_LEADS.map((lead, byte) => (byte === BEL ? 1 : lead));

/** The filter for one connection. */
export class EscposStream {
  readonly #options: StreamOptions;
  readonly #mode: PrinterMode;
  readonly #token = newToken();
  readonly #leads: LeadFinder;
  readonly #isLead: Uint8Array;
  #sink: StreamSink | undefined;
  /** The bytes in hand, the first of them that is not read yet, and the first that is not forwarded yet. */
  #bytes: Uint8Array = EMPTY;
  #at = 0;
  #from = 0;
  /** The beginning of a command that is not complete: not forwarded. */
  #held: Uint8Array = EMPTY;
  readonly #payload = new Payload();
  /** It is taken out, and its command was. */
  #discarding = false;
  /** Data of GS k function A whose NUL has not come. */
  #listOpen = false;
  /** Bytes forwarded since a lead byte of no known command, that one included. */
  #sinceUnknown = NEAR + 1;
  /** The last byte forwarded may be the first of a character of several. */
  #inCharacter = false;
  readonly #macro = new MacroDefinition();

  constructor(options: StreamOptions, mode: PrinterMode = freshMode()) {
    this.#options = options;
    this.#mode = mode;
    this.#leads = new LeadFinder(options.pulseOnBel ? [...LEADS, BEL] : LEADS);
    this.#isLead = options.pulseOnBel ? LEADS_AND_BEL : ONLY_LEADS;
  }

  /** True where no command is under way: another may be put between what was forwarded and what comes next. */
  get atBoundary(): boolean {
    const inHeader = this.#options.asSent === true && this.#held.length > 0;
    return !(this.#missing > 0 || inHeader || this.#listOpen || this.#sinceUnknown === 1);
  }

  /**
   * False where what another job prints would not come out: the printer is off the line, keeps a page, or is to keep a
   * macro, which the job in hand alone can end.
   */
  get mayPause(): boolean {
    return !this.#macro.isOpen && !this.#mode.deselected && !this.#mode.pageMode;
  }

  /** May alter bytes of `chunk` in place. */
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

  /** The holder yields between two commands: NUL where a character or header may still wait for a byte. */
  pause(sink: StreamSink): void {
    this.#sink = sink;
    this.#settle();
  }

  /**
   * The job is over: what was held is thrown away. Where it ended `inOrder`, text on the line gets the LF it forgot.
   * Returns how many bytes of a payload never came, for which NULs have to make up.
   */
  end(sink: StreamSink, inOrder = false): number {
    this.#sink = sink;
    const mode = this.#mode;
    this.#giveUpMacro();
    this.#held = EMPTY;
    const missing = this.#missing;
    this.#payload.end();
    if (missing > 0) return missing;
    this.#settle();
    if (inOrder && mode.textPending && !mode.pageMode && !mode.deselected) {
      this.#insert(ONE_LF);
      mode.textPending = false;
    }
    if (mode.pageMode) this.#insert(STANDARD_MODE);
    mode.deselected = mode.pageMode = false;
    return 0;
  }

  get #missing(): number {
    return this.#discarding ? 0 : this.#payload.missing;
  }

  #settle(): void {
    if (this.#inCharacter) this.#insert(NULS);
    else if (this.#listOpen || this.#sinceUnknown <= NEAR) this.#insert(ONE_NUL);
    this.#listOpen = false;
  }

  /** Reads the tokens that begin before `until`; answers where the first unread byte is. */
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
    if (this.#listOpen && b.subarray(start, end).includes(NUL)) this.#listOpen = false;
    let line = start;
    if (mode.pageMode) {
      const printed = b.subarray(start, end).indexOf(FF);
      line = printed < 0 ? end : start + printed;
      if (printed >= 0) settleMode(mode);
    }
    if (!mode.deselected) {
      let last = end - 1;
      while (last >= line && b[last]! < 0x20 && b[last] !== HT && b[last] !== LF) last--;
      if (last >= line) mode.textPending = b[last] !== LF;
    }
    let plain = end;
    while (plain > start && end - plain < FAR && isPlain(b[plain - 1]!)) plain--;
    mode.sinceCommand = end - plain + (plain === start ? mode.sinceCommand : 0);
    this.#pass(end - start);
    this.#inCharacter = b[end - 1]! >= 0x80;
  }

  /** False where the command is not complete yet. */
  #command(): boolean {
    const token = this.#token;
    const kind = readToken(this.#bytes, this.#at, this.#bytes.length, token);
    if (kind === 'more') return false;
    if (kind === 'unknown') {
      this.#mode.plain = false;
      this.#mode.sinceCommand = 0;
      this.#pass(1);
      this.#sinceUnknown = 1;
    } else if (this.#options.asSent === true) this.#known();
    else if (token.payload > MAX_PAYLOAD) this.#discard();
    else this.#permitted(token.command);
    return true;
  }

  #permitted({ role }: EscposCommand): void {
    const b = this.#bytes;
    const at = this.#at;
    const { length, payload } = this.#token;
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
      case 'lineStart':
        this.#startLine();
        this.#known();
        break;
      default:
        this.#known();
    }
  }

  #askStatus(n: number): void {
    const { length } = this.#token;
    const answered = length === 3 && n >= 1 && n <= 4;
    this.#drop(length, answered ? undefined : 'realtime');
    if (answered) this.#sink!.status(n);
  }

  /** A complete command, but for its payload. */
  #known(): void {
    const b = this.#bytes;
    const at = this.#at;
    const { command, length, open } = this.#token;
    const stop = at + length;
    if (command.payload !== undefined || b[at] === DLE) this.#mode.plain = false;
    if (this.#options.pulseOnBel) silence(b.subarray(at, stop));
    this.#pass(length);
    this.#mode.sinceCommand = 0;
    this.#begin(at, false);
    this.#listOpen = command.role === 'list' && open;
    if (open && !this.#listOpen && this.#options.asSent !== true) this.#insert(ONE_NUL);
    followCommand(this.#mode, command, b[at + 2]!);
    const { realtimePulseDisable } = this.#options;
    if (command.role === 'initialize' && realtimePulseDisable && !this.#mode.deselected)
      this.#insert(REALTIME_PULSE_DISABLE);
  }

  /** An image is text to some printers where text stands before it (Epson TM-T88III, Bixolon SRP-330II: GS v 0). */
  #startLine(): void {
    const mode = this.#mode;
    if (mode.deselected || mode.pageMode || !mode.textPending) return;
    this.#insert(ONE_LF);
    mode.textPending = false;
  }

  /** A macro leaves in one piece, so that nothing of anybody else's is recorded between its two ends. */
  #beginMacro(): void {
    this.#drop(GS_COLON.length);
    if (this.#mode.sinceCommand < FAR) this.#insert(NULS);
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#macro.begin();
  }

  #endMacro(): void {
    if (this.#mode.sinceCommand < FAR) this.#insert(NULS);
    this.#skip(GS_COLON.length);
    // It may have grown too long by these last bytes.
    if (!this.#macro.isOpen) return;
    const macro = this.#macro.end();
    if (this.#mode.plain) this.#sink!.defineMacro(macro);
    else this.#sink!.forward(macro);
    this.#mode.sinceCommand = Number.POSITIVE_INFINITY;
    this.#mode.ownMacro = true;
  }

  #runMacro(command: Uint8Array): void {
    const harmless = command.subarray(2).every((byte) => this.#isLead[byte] === 0);
    const allowed = this.#mode.ownMacro && !this.#macro.isOpen && harmless && !this.#inCharacter;
    this.#drop(command.length, allowed ? undefined : 'pulse');
    if (allowed) this.#sink!.runMacro(command);
  }

  /** What was to be a macro goes out as plain commands. */
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
      this.#pass(count);
    }
  }

  /** The size of the next character or image. False where it is not complete yet. */
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

  /** Lets the next `count` bytes through. */
  #pass(count: number): void {
    this.#at += count;
    if (this.#sinceUnknown <= NEAR) this.#sinceUnknown += count;
    this.#inCharacter = false;
  }

  /** Takes the next `count` bytes out. */
  #skip(count: number): void {
    this.#flush();
    this.#at += count;
    this.#from = this.#at;
  }

  /** Takes a command out. What an unknown lead byte before it waits for shall be a NUL. */
  #drop(length: number, what?: 'pulse' | 'realtime'): void {
    this.#skip(length);
    if (this.#sinceUnknown <= NEAR) this.#insert(ONE_NUL);
    if (what) this.#sink!.dropped(what);
  }

  /** Takes a command out with its payload. */
  #discard(what?: 'realtime'): void {
    const at = this.#at;
    this.#drop(this.#token.length, what);
    this.#begin(at, true);
  }

  /** Puts bytes in that do not stand here in the stream. */
  #insert(bytes: Uint8Array): void {
    this.#flush();
    this.#send(bytes);
    this.#sinceUnknown = NEAR + 1;
    this.#inCharacter = false;
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

/** Takes BEL out of bytes that are not text, in place: a printer may not read them as the command they belong to. */
function silence(bytes: Uint8Array): void {
  for (let at = bytes.indexOf(BEL); at >= 0; at = bytes.indexOf(BEL, at + 1)) bytes[at] = NUL;
}
