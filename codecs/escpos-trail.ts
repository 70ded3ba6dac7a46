/**
 * The trail: what a printer may have read last. No byte is sent that would make a dangerous command together with it.
 *
 * Three short sequences do harm wherever a printer reads them: ESC p opens the drawer; DLE DC4 1, 2 and 8 open it, switch
 * the printer off and clear its buffer; GS ^ runs a macro, where one may exist. Printers differ on where a payload ends, so
 * these sequences are stopped in every place, payloads included. Printers differ on real-time commands, too (DLE EOT, DLE
 * ENQ, DLE DC4): some remove them from the stream in any place, so that an ESC before one and a p after it become ESC p;
 * others leave them in. The trail follows both: it is the set of all bytes that any printer may take for the last ones
 * (Epson, "real-time commands").
 */
import { GS_COLON, type MacroMemory, noMacros } from './escpos-macro.ts';

const DLE = 0x10;
const DC4 = 0x14;
const EOT = 0x04;
const ENQ = 0x05;
const ESC = 0x1b;
const GS = 0x1d;
const P = 0x70;
const CARET = 0x5e;
const COLON = 0x3a;
const EQUALS = 0x3d;

/** Bytes that the printer may have read last, as bits. */
const SEEN_ESC = 1;
const SEEN_GS = 2;
const SEEN_DLE = 4;
const SEEN_DLE_DC4 = 8;
const ANY = 15;

const ESC_P = Uint8Array.of(ESC, P);
const GS_CARET = Uint8Array.of(GS, CARET);
const ESC_EQUALS = Uint8Array.of(ESC, EQUALS);
/** Parameters that follow the function code of DLE DC4. */
const PARAMETERS: Readonly<Record<number, number>> = { 1: 2, 2: 2, 3: 5, 7: 1, 8: 7 };

/** The trail of one printer. Every byte that is sent to it passes `guard` or `follow`, in order. */
export class Trail {
  readonly macros: MacroMemory;
  /**
   * The printer may have read ESC = n with an even n, in any place. It is deselected then: it ignores every receipt, and
   * reports nothing, until it gets ESC = 1.
   */
  mayBeDeselected = false;
  /** ESC = was read, and its n was not. */
  #selecting = false;
  #seen = 0;
  /**
   * Incomplete real-time commands, each as the bits seen before it: after DLE, after DLE EOT or DLE ENQ, after DLE DC4; and
   * those with n + 1 parameters to come, four bits for each n from the low end.
   */
  #dle = 0;
  #request = 0;
  #dc4 = 0;
  #parameters = 0;

  constructor(macros: MacroMemory = noMacros()) {
    this.macros = macros;
  }

  /** Forgets what was sent: the printer may have read anything last. */
  lose(): void {
    this.#seen = this.#dle = this.#request = this.#dc4 = ANY;
    this.#parameters = 0xfffffff;
    this.#selecting = false;
  }

  copy(): Trail {
    const copy = new Trail({ ...this.macros });
    copy.become(this);
    return copy;
  }

  become(other: Trail): void {
    this.#seen = other.#seen;
    this.#dle = other.#dle;
    this.#request = other.#request;
    this.#dc4 = other.#dc4;
    this.#parameters = other.#parameters;
    this.#selecting = other.#selecting;
  }

  /** Follows bytes and replaces each that would complete a dangerous sequence by NUL, in place. */
  guard(bytes: Uint8Array): void {
    this.#run(bytes, true);
  }

  /** Follows bytes that are sent unchanged. */
  follow(bytes: Uint8Array): void {
    this.#run(bytes, false);
  }

  /** False where these bytes do harm together with the trail and not alone: the caller sends a NUL first. */
  goesWith(bytes: Uint8Array): boolean {
    const alone = new Trail({ ...this.macros });
    const joined = this.copy();
    for (const byte of bytes) {
      if (joined.#idle) return true;
      if (joined.#harms(byte) && !alone.#harms(byte)) return false;
      joined.#step(byte);
      alone.#step(byte);
    }
    return true;
  }

  #run(bytes: Uint8Array, guarding: boolean): void {
    const b = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const next = (needle: Uint8Array | number, at: number) => {
      const found = b.indexOf(needle, at);
      return found < 0 ? b.length : found;
    };
    let [pulse, run, begin, select, dle] = [-1, -1, -1, -1, -1];
    for (let at = 0; at < b.length; at++) {
      if (this.#idle) {
        if (pulse < at) pulse = next(ESC_P, at);
        if (run < at) run = next(GS_CARET, at);
        if (begin < at) begin = next(GS_COLON, at);
        if (select < at) select = next(ESC_EQUALS, at);
        if (dle < at) dle = next(DLE, at);
        const realtime = dle > at && (b[dle - 1] === ESC || b[dle - 1] === GS) ? dle - 1 : dle;
        at = Math.min(pulse, run, begin, select, realtime, b.length - 1);
      }
      if (guarding && this.#harms(b[at]!)) b[at] = 0;
      this.#step(b[at]!);
    }
  }

  get #idle(): boolean {
    return (this.#seen | this.#dle | this.#request | this.#dc4 | this.#parameters) === 0 && !this.#selecting;
  }

  #harms(byte: number): boolean {
    const seen = this.#seen;
    if (byte === P) return (seen & SEEN_ESC) !== 0;
    if (byte === CARET) return (seen & SEEN_GS) !== 0 && this.macros.begun;
    // No real-time command inside another: the bytes that remain when a printer removes both are not followed.
    if (byte === DLE) return ((this.#dle & ~SEEN_DLE) | this.#request | this.#dc4 | this.#parameters) !== 0;
    return (byte === 1 || byte === 2 || byte === 8) && (seen & SEEN_DLE_DC4) !== 0;
  }

  #step(byte: number): void {
    const seen = this.#seen;
    if (this.#selecting && (byte & 1) === 0) this.mayBeDeselected = true;
    this.#selecting = byte === EQUALS && (seen & SEEN_ESC) !== 0;
    const pulse = (byte === P && (seen & SEEN_ESC) !== 0) || (byte === 1 && (seen & SEEN_DLE_DC4) !== 0);
    if (pulse && this.macros.recording) this.macros.pulse = true;
    if (byte === COLON && (seen & SEEN_GS) !== 0) {
      this.macros.begun = this.macros.recording = true;
      // What follows may begin a macro, and the printer may run that after any other bytes.
      this.#seen = ANY;
      this.#dle = this.#request = this.#dc4 = this.#parameters = 0;
      return;
    }
    const before = (this.#parameters & ANY) | this.#request | this.#dc4;
    this.#parameters >>>= 4;
    if (byte === 7 || byte === 8 || byte === 18) this.#parameters |= this.#request;
    const parameters = PARAMETERS[byte];
    if (parameters !== undefined) this.#parameters |= this.#dc4 << (4 * (parameters - 1));
    this.#request = byte === EOT || byte === ENQ ? this.#dle : 0;
    this.#dc4 = byte === DC4 ? this.#dle : 0;
    this.#dle = byte === DLE ? seen : 0;
    this.#seen = before | lastSeen(byte, seen);
  }
}

function lastSeen(byte: number, seen: number): number {
  switch (byte) {
    case ESC:
      return SEEN_ESC;
    case GS:
      return SEEN_GS;
    case DLE:
      return SEEN_DLE;
    case DC4:
      return (seen & SEEN_DLE) === 0 ? 0 : SEEN_DLE_DC4;
    default:
      return 0;
  }
}
