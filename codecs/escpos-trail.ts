/**
 * The trail: what a printer may have read last. No byte is sent that would make a dangerous command together with it.
 *
 * Some short sequences do harm wherever a printer reads them: ESC p opens the drawer; DLE DC4 1, 2 and 8 open it, switch
 * the printer off and clear its buffer; GS ^ runs a macro, where one may exist; US ESC US FCh, and GS F9h with 20h or 35h, make
 * a printer read another language, in which the drawer opens by what is harmless in this one (TSPL: the line CASHDRAWER;
 * ESC/Bematech: ESC v). Printers differ on where a payload ends, so
 * these sequences are stopped in every place, payloads included. Printers differ on real-time commands, too: some remove
 * them from the stream in any place, so that an ESC before one and a p after it become ESC p; others leave them in. Some do
 * so with one that broke off, too (NCR 7197: a DLE alone is a command). The trail follows all of them: it is the set of all
 * bytes that any printer may take for the last ones (Epson, "real-time commands"). What a command still expects ends with
 * its last byte alone, whatever else is recognised in between.
 */
import { type MacroMemory, noMacros } from './escpos-macro.ts';

const DLE = 0x10;
const DC4 = 0x14;
const ETX = 0x03;
const EOT = 0x04;
const ENQ = 0x05;
const ESC = 0x1b;
const GS = 0x1d;
const US = 0x1f;
/** Behind US ESC US: selects the language (01 02 03, then 33h TSPL, 44h CPCL, 55h ESC/POS), as the SDKs of such printers send it. */
const LANGUAGE = 0xfc;
/** Behind GS: selects the command set, until the power goes (35h) or for good (20h; Bematech MP-4200 TH Programmer's Manual). */
const COMMAND_SET = 0xf9;
const FOR_GOOD = 0x20;
const FOR_NOW = 0x35;
const P = 0x70;
const CARET = 0x5e;
const COLON = 0x3a;
const EQUALS = 0x3d;

/**
 * The real-time commands: the code that stands behind DLE, and how many bytes each expects after its first parameter, by the
 * value of that: DLE EOT n [a], DLE ENQ n, DLE DC4 fn (Epson ESC/POS command reference, the page of each).
 */
const REALTIME: ReadonlyArray<{ readonly code: number; readonly expects: Readonly<Record<number, number>> }> = [
  { code: EOT, expects: { 7: 1, 8: 1, 18: 1 } },
  { code: ENQ, expects: {} },
  { code: DC4, expects: { 1: 2, 2: 2, 3: 5, 7: 1, 8: 7 } },
];

/** Bytes that the printer may have read last, as bits. */
const SEEN_ESC = 1;
const SEEN_GS = 2;
const SEEN_DLE = 4;
const SEEN_DLE_DC4 = 8;
const SEEN_US = 16;
const SEEN_US_ESC = 32;
const SEEN_US_ESC_US = 64;
const SEEN_GS_SET = 128;
/** What nobody knows may be any of them, but for GS F9h: no macro holds one. */
const ANY = 255 & ~SEEN_GS_SET;
/** Bits of a lane. Of lanes for the bytes to come, seven at most (`REALTIME`), three are in one number, four in the next. */
const LANE = 8;
const ALL = 255;
const LOW_LANES = 3;
/** The lowest bit of each of so many lanes. */
const lanes = (count: number): number => (count <= 0 ? 0 : 1 | (lanes(count - 1) << LANE));
const EVERY_LOW = lanes(LOW_LANES);
const EVERY_HIGH = lanes(7 - LOW_LANES);
const EVERY_ROW = lanes(REALTIME.length);

/** What a real-time command may stand behind, in the middle of a dangerous sequence. */
const LEADS: readonly number[] = [ESC, GS, US];
/**
 * How a sequence begins that has to be followed byte by byte, but for real-time commands. US is rare enough to be looked for alone. The
 * last one does harm only where a macro may exist.
 */
const BEGINNINGS: ReadonlyArray<number | Uint8Array> = [
  US,
  Uint8Array.of(ESC, P),
  Uint8Array.of(ESC, EQUALS),
  Uint8Array.of(ESC, GS),
  Uint8Array.of(GS, COLON),
  Uint8Array.of(GS, GS),
  Uint8Array.of(GS, COMMAND_SET),
  Uint8Array.of(GS, CARET),
];

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
  /** What was seen before the last byte where that is a GS. */
  #gs = 0;
  /**
   * Incomplete real-time commands, each as the bits seen before it: after DLE; after the code of each row of the table, a lane
   * for each row, from the low end; and those that expect more bytes, a lane for each byte to come, in the same way.
   */
  #dle = 0;
  #coded = 0;
  #expected = 0;
  #expectedLater = 0;
  /** The last DLE stood behind two others: where the printer removes its command, the one before it may begin another. */
  #deep = false;
  /** Where each of `BEGINNINGS` is found next in the bytes that are run through. */
  readonly #beginnings = new Int32Array(BEGINNINGS.length);

  constructor(macros: MacroMemory = noMacros()) {
    this.macros = macros;
  }

  /** Forgets what was sent: the printer may have read anything last. */
  lose(): void {
    this.#beginAnywhere();
    this.#expected = ANY * EVERY_LOW;
    this.#expectedLater = ANY * EVERY_HIGH;
    this.#deep = true;
    this.#selecting = false;
  }

  copy(): Trail {
    const copy = new Trail({ ...this.macros });
    copy.become(this);
    return copy;
  }

  become(other: Trail): void {
    this.#seen = other.#seen;
    this.#gs = other.#gs;
    this.#dle = other.#dle;
    this.#coded = other.#coded;
    this.#expected = other.#expected;
    this.#expectedLater = other.#expectedLater;
    this.#deep = other.#deep;
    this.#selecting = other.#selecting;
  }

  /** No byte that follows can be part of what was sent before it. */
  get isClear(): boolean {
    return this.#idle;
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
    // Its own indexOf would not look for two bytes.
    const b = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const beginnings = this.#beginnings.fill(-1);
    let dle = -1;
    for (let at = 0; at < b.length; at++) {
      if (this.#idle) {
        if (dle < at) dle = next(b, DLE, at);
        let first = dle > at && LEADS.includes(b[dle - 1]!) ? dle - 1 : dle;
        const count = this.macros.begun ? beginnings.length : beginnings.length - 1;
        for (let index = 0; index < count; index++) {
          let found = beginnings[index]!;
          if (found < at) found = beginnings[index] = next(b, BEGINNINGS[index]!, at);
          if (found < first) first = found;
        }
        at = Math.min(first, b.length - 1);
      }
      if (guarding && this.#harms(b[at]!)) b[at] = 0;
      this.#step(b[at]!);
    }
  }

  get #idle(): boolean {
    const expected = this.#expected | this.#expectedLater;
    return (this.#seen | this.#gs | this.#dle | this.#coded | expected) === 0 && !this.#selecting;
  }

  /** What follows may be the beginning of a macro, and the printer may run that after any other bytes. */
  #beginAnywhere(): void {
    this.#seen = this.#gs = this.#dle = ANY;
    this.#coded = ANY * EVERY_ROW;
  }

  #harms(byte: number): boolean {
    const seen = this.#seen;
    if (byte === P) return (seen & SEEN_ESC) !== 0;
    if (byte === CARET) return (seen & SEEN_GS) !== 0 && this.macros.begun;
    if (byte === LANGUAGE) return (seen & SEEN_US_ESC_US) !== 0;
    if (byte === COMMAND_SET) return (seen & SEEN_GS) !== 0 && this.macros.recording;
    if (byte === FOR_GOOD || byte === FOR_NOW) return (seen & SEEN_GS_SET) !== 0;
    // No real-time command inside another: the bytes that remain when a printer removes both are not followed.
    if (byte === DLE) return ((this.#dle & ~SEEN_DLE) | this.#coded | this.#expected | this.#expectedLater) !== 0;
    // GS ETX, GS EOT and GS ENQ are real-time commands of some (NCR 7197, "Real Time Commands"), and no others begin so.
    if (byte === ETX || byte === EOT || byte === ENQ) return this.#gs !== 0;
    return (byte === 1 || byte === 2 || byte === 8) && (seen & SEEN_DLE_DC4) !== 0;
  }

  /** Adds what the commands of which the code was read expect behind this first parameter. */
  #expectAfter(byte: number): void {
    for (let row = 0, coded = this.#coded; coded > 0; row += 1, coded >>= LANE) {
      const bytes = REALTIME[row]!.expects[byte] ?? 0;
      this.#expected |= (coded & ALL) * lanes(Math.min(bytes, LOW_LANES));
      this.#expectedLater |= (coded & ALL) * lanes(bytes - LOW_LANES);
    }
  }

  #step(byte: number): void {
    const seen = this.#seen;
    // A GS may begin a real-time command, after which the n is still to come.
    if (this.#selecting && ((byte & 1) === 0 || byte === GS)) this.mayBeDeselected = true;
    this.#selecting = byte === EQUALS && (seen & SEEN_ESC) !== 0;
    const pulse = (byte === P && (seen & SEEN_ESC) !== 0) || (byte === 1 && (seen & SEEN_DLE_DC4) !== 0);
    if (pulse && this.macros.recording) this.macros.pulse = true;

    // Each byte may be the last that a printer removes: of a whole command, or of one that broke off.
    const coded = this.#coded;
    const inCommand = (this.#expected | coded | (coded >> LANE) | (coded >> (2 * LANE))) & ALL;
    const before = this.#dle | inCommand | (byte === DLE ? seen : 0);
    const dle = this.#dle;
    this.#expected = (this.#expected >>> LANE) | ((this.#expectedLater & ALL) << ((LOW_LANES - 1) * LANE));
    this.#expectedLater >>>= LANE;
    if (coded > 0) this.#expectAfter(byte);
    this.#coded = dle === 0 ? 0 : codedAs(byte, dle);
    if (byte === DLE) {
      this.#deep = (dle & SEEN_DLE) !== 0;
      this.#dle = seen;
    } else this.#dle = this.#deep ? inCommand & SEEN_DLE : 0;
    this.#gs = byte === GS ? seen : 0;
    this.#seen = before | lastSeen(byte, seen);
    if (byte === COLON && (seen & SEEN_GS) !== 0) {
      this.macros.begun = this.macros.recording = true;
      this.#beginAnywhere();
    }
  }
}

/** Where this is found from an index on; the length where it is not. */
function next(bytes: Buffer, needle: Uint8Array | number, at: number): number {
  const found = bytes.indexOf(needle, at);
  return found < 0 ? bytes.length : found;
}

/** `bits` in the row of REALTIME whose code is `byte`. */
function codedAs(byte: number, bits: number): number {
  const row = REALTIME.findIndex(({ code }) => code === byte);
  return row < 0 ? 0 : bits << (LANE * row);
}

function lastSeen(byte: number, seen: number): number {
  switch (byte) {
    case ESC:
      return (seen & SEEN_US) === 0 ? SEEN_ESC : SEEN_ESC | SEEN_US_ESC;
    case US:
      return (seen & SEEN_US_ESC) === 0 ? SEEN_US : SEEN_US | SEEN_US_ESC_US;
    case GS:
      return SEEN_GS;
    case COMMAND_SET:
      return (seen & SEEN_GS) === 0 ? 0 : SEEN_GS_SET;
    case DLE:
      return SEEN_DLE;
    case DC4:
      return (seen & SEEN_DLE) === 0 ? 0 : SEEN_DLE_DC4;
    default:
      return 0;
  }
}
