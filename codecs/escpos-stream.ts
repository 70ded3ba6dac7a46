/**
 * The filter of port 9100: ESC/POS in, the same bytes out but for what opens a drawer, powers the printer off or
 * clears its buffer. Two facts shape it.
 *
 * A printer looks for real-time commands (DLE DC4) everywhere, so DLE DC4 1, 2 and 8 never leave here in any place:
 * they are dropped as commands, and inside payloads one byte of them turns into NUL.
 *
 * ESC p counts only where a printer expects a command, and printers do not agree where that is. Wherever two of them
 * could read the same bytes as a payload and as commands, the bytes are made to mean one thing to both: a header
 * with a parameter out of range is taken out, and what it would have counted is read as commands; an LF goes before
 * a bar code or image that text on the line would turn into text (Epson TM-T88III manual, GS k; Bixolon SRP-330II
 * manual, GS v 0); a NUL ends what may still wait for a byte, a character of two bytes among them; in payloads that a
 * deselected printer does not follow (ESC =) the lead bytes turn into NUL. What only the model knows (sizes of its
 * memories, a command a clone lacks) cannot be closed here.
 */
import { REALTIME_PULSE_DISABLE } from './escpos.ts';
import { barcodeBytes } from './escpos-barcode-data.ts';
import { isTrigger, ONE_NUL, Outlet } from './escpos-outlet.ts';
import { Payload } from './escpos-payload.ts';
import {
  DC4,
  DLE,
  ESC,
  freshMode,
  inStep,
  LEADS,
  LF,
  LONGEST_UNDECIDED,
  NUL,
  newToken,
  type PrinterMode,
  readToken,
} from './escpos-tokenizer.ts';
import { LeadFinder } from './lead-finder.ts';

export interface StreamSink {
  /** Bytes for the printer, in order: views into the chunk, but for the few that were held or put in. */
  forward(bytes: Uint8Array): void;
  /** DLE EOT n (with `a` for n 7, 8 and 18) met between commands; called in stream order. */
  status(n: number, a?: number): void;
  /** A command was dropped: ESC p, DLE DC4 1, BEL; or DLE DC4 2 and 8, and GS ( D that would enable them. */
  dropped(what: 'pulse' | 'realtime'): void;
}

export interface StreamOptions {
  /** Take DLE EOT out and report it, instead of passing it on. */
  readonly takeStatus: boolean;
  /** The printer knows GS ( D: send it after each ESC @, which may put it back to its default. */
  readonly realtimePulseDisable: boolean;
  /** The printer pulses on BEL. */
  readonly pulseOnBel: boolean;
  /** The printer was sent every byte as it is: what it makes of them is followed, and nothing is done about it. */
  readonly asSent?: boolean;
}

const BEL = 0x07;
const HT = 0x09;
/** From here on a byte may be the first of a character of two (GBK, Big5, Shift-JIS, EUC-KR). */
const FIRST_OF_TWO = 0x80;
const SELECT_PRINTER = Uint8Array.of(ESC, 0x3d, 0x01);
const ONE_LF = Uint8Array.of(LF);
const EMPTY = new Uint8Array(0);

/** No printer takes a larger payload; one that is announced is thrown away unprinted. */
export const MAX_PAYLOAD = 16 * 1024 * 1024;
/** The rest of a payload is filled in here up to this size. */
const MAX_PADDING = 65_536;

/** Bytes that end a run of text, with BEL and without. */
const STOPS_AT_BEL = LEADS.map((lead, byte) => (byte === BEL ? 1 : lead));

/**
 * The filter for one connection. `mode` is what the printer remembers from one connection to the next: give all
 * connections to one printer the same.
 */
export class EscposStream {
  readonly #options: StreamOptions;
  readonly #mode: PrinterMode;
  readonly #token = newToken();
  readonly #out = new Outlet();
  readonly #payload: Payload;
  #sink: StreamSink | undefined;
  readonly #stops: Uint8Array;
  readonly #leads: LeadFinder;
  /** The beginning of a command that is not complete: not forwarded. */
  #held: Uint8Array = EMPTY;
  /** Data of GS k function A whose NUL has not come. */
  #listOpen = false;

  constructor(options: StreamOptions, mode: PrinterMode = freshMode()) {
    this.#options = options;
    this.#mode = mode;
    this.#stops = options.pulseOnBel ? STOPS_AT_BEL : LEADS;
    this.#leads = new LeadFinder([...this.#stops.keys()].filter((byte) => this.#stops[byte] === 1));
    this.#payload = new Payload(this.#out, mode);
  }

  /** True where no command is under way: another may be put between what was forwarded and what comes next. */
  get atBoundary(): boolean {
    const inHeader = this.#options.asSent === true && this.#held.length > 0;
    return !(this.#payload.underWay || inHeader || this.#listOpen || this.#out.afterUnknownLead);
  }

  /** May alter bytes of `chunk` in place. */
  push(chunk: Uint8Array, sink: StreamSink): void {
    this.#begin(sink);
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

  /**
   * The connection is gone. What was held is thrown away, and `sink` gets what leaves the printer between commands:
   * NUL where it may still wait for a byte, NUL for the rest of a payload, ESC = 1 where it was deselected. Of a rest
   * over 65,536 bytes nothing is sent: that many NULs are `owed`, and the `RECOVERY` after them, before anything else.
   */
  end(sink: StreamSink): { readonly owed: number } {
    this.#begin(sink);
    const { underWay } = this.#payload;
    const owed = this.#payload.finish(MAX_PADDING);
    const waiting = this.#listOpen || this.#out.waiting || this.#out.halfCharacter;
    if (!underWay && waiting) this.#out.insert(ONE_NUL);
    if (this.#mode.deselected && owed === 0) this.#out.insert(SELECT_PRINTER);
    this.#mode.deselected = this.#listOpen = false;
    this.#held = EMPTY;
    return { owed };
  }

  #begin(sink: StreamSink): void {
    this.#sink = sink;
    this.#out.to((bytes) => sink.forward(bytes));
  }

  /** Reads the tokens that begin before `until`; answers where the first unread byte is. */
  #read(bytes: Uint8Array, until: number): number {
    const out = this.#out;
    out.take(bytes);
    this.#leads.take(bytes);
    let going = true;
    while (going && out.at < until) {
      if (this.#payload.pending) going = this.#payload.read();
      else if (this.#stops[bytes[out.at]!] === 0) this.#text();
      else if (bytes[out.at] === BEL) this.#drop(1, 'pulse');
      else going = this.#command();
    }
    out.flush();
    const read = out.at;
    out.take(EMPTY);
    this.#leads.take(EMPTY);
    return read;
  }

  #text(): void {
    const out = this.#out;
    const b = out.bytes;
    const start = out.at;
    const end = this.#leads.next(start + 1);
    out.breakTrail(end);
    // An LF that an unknown command, or the list of a lax printer, may take for its own ends no line.
    let own = start + out.shadow;
    if (this.#listOpen) {
      const nul = b.subarray(start, end).indexOf(NUL);
      this.#listOpen = nul < 0;
      own = nul < 0 ? end : start + nul;
    }
    if (this.#mode.deselected) own = end;
    let last = end - 1;
    while (last >= start && b[last]! < 0x20 && b[last] !== HT && (b[last] !== LF || last < own)) last--;
    if (last >= start) this.#mode.textPending = b[last] !== LF;
    out.pass(end - start);
    out.halfCharacter = b[end - 1]! >= FIRST_OF_TWO;
  }

  /** False where the command is not complete yet. */
  #command(): boolean {
    const out = this.#out;
    const { bytes: b, at } = out;
    const token = this.#token;
    const kind = readToken(b, at, b.length, this.#mode, token);
    if (kind === 'more') return false;
    if (kind === 'unknown') out.passUnknownLead();
    else if (kind === 'impossible') this.#drop(token.length);
    else {
      const { role } = token.command;
      if (role === 'pulse' || role === 'realtime') this.#drop(token.length, role);
      else if (role === 'runMacro' && this.#mode.macro !== 'own') this.#drop(token.length, 'pulse');
      else if (role === 'status' && this.#options.takeStatus) {
        this.#drop(token.length);
        this.#sink!.status(b[at + 2]!, token.length > 3 ? b[at + 3]! : undefined);
      } else this.#known();
    }
    return true;
  }

  /** A complete command (but for its payload): passes it, unless it could mean two things. */
  #known(): void {
    if (this.#options.asSent !== true && !this.#isSafe()) return;
    const out = this.#out;
    const { bytes: b, at } = out;
    const { command, length } = this.#token;
    out.pass(length);
    this.#payload.begin(this.#token, b[at + 2]!, false);
    if (command.role !== undefined) this.#remember(at, at + length);
    else if (this.#token.open) out.insert(ONE_NUL);
  }

  /** False where it was taken out; what makes it mean one thing is put before it. */
  #isSafe(): boolean {
    const out = this.#out;
    const { bytes: b, at } = out;
    const { command, length, payload, parts } = this.#token;
    const { role } = command;
    const stop = at + length;
    const hasPayload = payload > 0 || parts > 0;
    if (role === 'realtimeSwitch' && !disables(b, stop, payload)) {
      this.#discard();
      this.#sink!.dropped('realtime');
      return false;
    }
    const spoiled =
      payload > MAX_PAYLOAD ||
      (length >= 5 && spellsTrigger(b, at, stop)) ||
      (this.#mode.deselected && b.subarray(at + 1, stop).some((byte) => LEADS[byte] === 1));
    if (spoiled && hasPayload) {
      this.#discard();
      return false;
    }
    // Not every printer knows the command, or the value: parameters must be harmless as text, too.
    const obscure = !command.free && !command.payload && !inStep(b, at + 2, stop);
    if (spoiled || obscure) {
      this.#drop(command.prefix.length / 2);
      return false;
    }
    if (hasPayload || role !== undefined || ((this.#listOpen || out.waiting) && !inStep(b, at + 1, stop))) {
      out.separate();
      if (this.#listOpen) this.#closeList();
    }
    if (out.halfCharacter) {
      if (hasPayload || !inStep(b, at + 1, stop)) out.insert(ONE_NUL);
      else out.halfCharacter = b[stop - 1]! >= FIRST_OF_TWO;
    }
    if (role === 'barcode' && !this.#barcode(b[at + 2]!, stop, stop + payload)) {
      this.#drop(3);
      return false;
    }
    if (role === 'lineStart') this.#startLine();
    return true;
  }

  /** What the command just passed changes in the printer. */
  #remember(at: number, stop: number): void {
    const mode = this.#mode;
    const b = this.#out.bytes;
    const parameter = b[at + 2]!;
    switch (this.#token.command.role) {
      case 'peripheral':
        mode.deselected = (parameter & 1) === 0;
        return;
      case 'list':
        this.#listOpen = this.#token.open;
        // Data that is no bar code is text to a strict printer.
        if (!this.#listOpen && barcodeBytes(parameter, b, at + 3, stop - 1) < stop - 1 - at - 3)
          mode.textPending = true;
        return;
      case 'bitImage':
        mode.textPending = true;
        return;
      case 'macro':
        mode.macros = true;
        if (mode.deselected) return;
        mode.macro = mode.macro === 'begun' ? 'own' : 'begun';
        return;
      case 'codeTable':
        // A printer without this page may take its number for the start of a command.
        if (LEADS[parameter] === 1 && parameter !== DLE) this.#out.insert(ONE_NUL);
        return;
      case 'font':
        mode.narrowFont = b[at + 1] === 0x4d ? parameter !== 0 && parameter !== 0x30 : (parameter & 1) === 1;
        return;
      case 'kanjiFont':
        if (this.#token.payload > 1 && b[stop] === 0x30) mode.kanjiBytes = KANJI_BYTES[b[stop + 1]! & 0x0f] ?? 72;
        return;
      case 'printLine':
        if (!mode.deselected) mode.textPending = false;
        return;
      case 'initialize':
        if (mode.deselected) return;
        mode.textPending = mode.narrowFont = false;
        mode.kanjiBytes = 72;
        if (this.#options.realtimePulseDisable) this.#out.insert(REALTIME_PULSE_DISABLE);
        return;
    }
  }

  /**
   * GS k function B. False where a strict printer would take something dangerous in its data for text: it is no bar
   * code then. Where only text on the line could make it so, the line is ended first.
   */
  #barcode(m: number, from: number, to: number): boolean {
    const b = this.#out.bytes;
    const taken = barcodeBytes(m, b, from, to);
    const harmlessAsText = inStep(b, from - 1, to);
    if (!harmlessAsText) {
      if (taken === 0 || !inStep(b, from + taken, to)) return false;
      this.#startLine();
    }
    if (from + taken < to) this.#mode.textPending = true;
    return true;
  }

  #startLine(): void {
    const mode = this.#mode;
    // A macro may run on a line that has text, whatever the line is now.
    if (mode.deselected || !(mode.textPending || mode.macros)) return;
    this.#out.insert(ONE_LF);
    mode.textPending = false;
  }

  #closeList(): void {
    this.#out.insert(ONE_NUL);
    this.#listOpen = false;
  }

  #drop(length: number, what?: 'pulse' | 'realtime'): void {
    this.#out.skip(length);
    this.#out.separate();
    if (what) this.#sink!.dropped(what);
  }

  #discard(): void {
    const { bytes: b, at } = this.#out;
    this.#drop(this.#token.length);
    this.#payload.begin(this.#token, b[at + 2]!, true);
  }
}

const KANJI_BYTES = [72, 60, 32];

/** The payload of GS ( D that only disables: 20, then pairs of a function and 0. */
function disables(b: Uint8Array, from: number, length: number): boolean {
  if (length > 255 || length % 2 === 0 || b[from] !== 20) return false;
  for (let i = from + 2; i < from + length; i += 2) if (b[i] !== 0x00 && b[i] !== 0x30) return false;
  return true;
}

function spellsTrigger(b: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i + 2 < to; i++) if (b[i] === DLE && b[i + 1] === DC4 && isTrigger(b[i + 2])) return true;
  return false;
}
