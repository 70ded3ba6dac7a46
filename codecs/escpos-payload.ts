/** The payload of one ESC/POS command on its way through the port 9100 filter, in as many pieces as it comes. */
import { isTrigger, ONE_NUL, type Outlet } from './escpos-outlet.ts';
import { characterBytes, DC4, DLE, imageBytes, LEADS, NUL, type PrinterMode, type Token } from './escpos-tokenizer.ts';

const ONE_DLE = Uint8Array.of(DLE);
const ONE_DC4 = Uint8Array.of(DC4);
/** The smallest FS q image: 8 by 8 dots, blank. */
const BLANK_IMAGE = Uint8Array.of(1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

export class Payload {
  readonly #out: Outlet;
  readonly #mode: PrinterMode;
  /** Bytes of this part still to come, and parts after it: the characters of ESC &, the images of FS q. */
  #left = 0;
  #parts = 0;
  /** How tall a character of ESC & is in bytes; 0 for images. */
  #columnBytes = 0;
  #discarding = false;
  /** Bytes kept back because they may begin DLE DC4 1: DLE (1), DLE DC4 (2). */
  #keptBack = 0;

  constructor(out: Outlet, mode: PrinterMode) {
    this.#out = out;
    this.#mode = mode;
  }

  /** `y` is the third byte of the header. A discarded payload is read like any other, and goes nowhere. */
  begin(token: Token, y: number, discard: boolean): void {
    this.#left = token.payload;
    this.#parts = token.parts;
    this.#columnBytes = token.command.payload?.form === 'characters' ? y : 0;
    this.#discarding = discard;
  }

  /** True while bytes of it are to be read. */
  get pending(): boolean {
    return this.#left > 0 || this.#parts > 0;
  }

  /** True where the printer waits for bytes of it. */
  get underWay(): boolean {
    return this.pending && !this.#discarding;
  }

  /** Reads on in what the outlet has in hand. False where the size of the next part is not complete yet. */
  read(): boolean {
    if (this.#left === 0) return this.#nextPart();
    if (this.#discarding) {
      const count = Math.min(this.#left, this.#out.bytes.length - this.#out.at);
      this.#left -= count;
      this.#out.skip(count);
    } else this.#pass();
    return true;
  }

  /** Fills in what does not come any more; where that is over `most` bytes, answers how many NULs it would take. */
  finish(most: number): number {
    const fits = this.#left <= most;
    const owed = this.underWay && !fits ? this.#keptBack + this.#left + this.#parts * BLANK_IMAGE.length : 0;
    if (this.underWay && fits) {
      if (this.#left > 0) {
        this.#settle(NUL, NUL);
        this.#out.insert(new Uint8Array(this.#left));
      }
      this.#fillParts();
    }
    this.#left = this.#parts = this.#keptBack = 0;
    return owed;
  }

  #pass(): void {
    const out = this.#out;
    const { bytes: b, at } = out;
    const stop = Math.min(b.length, at + this.#left);
    this.#left -= stop - at;
    if (this.#mode.deselected) for (let i = at; i < stop; i++) if (LEADS[b[i]!] === 1) b[i] = NUL;
    if (this.#keptBack === 1 && b[at] === DC4 && stop === at + 1 && this.pending) {
      this.#keptBack = 2;
      out.skip(1);
      return;
    }
    this.#settle(b[at]!, at + 1 < stop ? b[at + 1]! : NUL);
    out.breakTrail(stop);
    let i = indexOfDle(b, at, stop);
    for (; i >= 0 && i + 2 < stop; i = indexOfDle(b, i + 1, stop)) {
      if (b[i + 1] === DC4 && isTrigger(b[i + 2])) b[i] = NUL;
    }
    if (this.pending && b[stop - 1] === DLE) this.#keptBack = 1;
    else if (this.pending && i === stop - 2 && i >= at && b[stop - 1] === DC4) this.#keptBack = 2;
    out.pass(stop - at - this.#keptBack);
    if (this.#keptBack > 0) out.skip(this.#keptBack);
  }

  /** Forwards what was kept back, disarmed if the two bytes that follow complete it. */
  #settle(next: number, afterNext: number): void {
    if (this.#keptBack === 0) return;
    const complete = this.#keptBack === 1 ? next === DC4 && isTrigger(afterNext) : isTrigger(next);
    this.#out.insert(complete ? ONE_NUL : ONE_DLE);
    if (this.#keptBack === 2) this.#out.insert(ONE_DC4);
    this.#keptBack = 0;
  }

  /** The size of the next character or image, which is never altered. */
  #nextPart(): boolean {
    const out = this.#out;
    const { bytes: b, at } = out;
    const size = this.#columnBytes > 0 ? 1 : 4;
    if (at + size > b.length) return false;
    const bytes = size === 1 ? characterBytes(b[at]!, this.#columnBytes, this.#mode) : imageBytes(b, at);
    if (bytes < 0) {
      this.#fillParts();
      return true;
    }
    this.#parts--;
    this.#left = bytes;
    if (this.#discarding) out.skip(size);
    else {
      this.#settle(b[at]!, size > 1 ? b[at + 1]! : NUL);
      out.pass(size);
    }
    return true;
  }

  /** Blank characters or images for those announced that do not come: every printer is then past the payload. */
  #fillParts(): void {
    const blank = this.#columnBytes > 0 ? ONE_NUL : BLANK_IMAGE;
    this.#settle(blank[0]!, NUL);
    for (; this.#parts > 0; this.#parts--) if (!this.#discarding) this.#out.insert(blank);
  }
}

/** Searches no further than `to`, however long the chunk. */
function indexOfDle(b: Uint8Array, from: number, to: number): number {
  const found = b.subarray(from, to).indexOf(DLE);
  return found < 0 ? -1 : from + found;
}
