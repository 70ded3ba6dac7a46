/** The way out of the port 9100 filter: forwards runs of a chunk without copying, and knows what the printer got last. */
import { DC4, DLE, NUL } from './escpos-tokenizer.ts';

const EMPTY = new Uint8Array(0);
export const ONE_NUL = Uint8Array.of(NUL);
/** No command has more than three lead bytes: so near, an unknown one may still wait for the rest. */
const NEAR = 3;

/** The third byte of DLE DC4 1 (pulse), 2 (power off) and 8 (clear buffer). */
export const isTrigger = (byte: number | undefined): boolean => byte === 1 || byte === 2 || byte === 8;

export class Outlet {
  /** The bytes in hand, and the first of them that is not read yet. */
  bytes: Uint8Array = EMPTY;
  at = 0;
  #from = 0;
  #forward: (bytes: Uint8Array) => void = () => {};
  /** Whether what went out ends in DLE (1) or DLE DC4 (2). */
  #trail = 0;
  /** Bytes that went out since an unknown lead byte, that one included. */
  #sinceLead = NEAR + 1;
  /** What went out last may be the first byte of a character of two, as printers for China, Japan and Korea read it. */
  halfCharacter = false;

  /** True where a printer may still wait for a byte: after an unknown lead byte, or the start of DLE DC4. */
  get waiting(): boolean {
    return this.#sinceLead <= NEAR || this.#trail !== 0;
  }

  /** How many of the next bytes an unknown lead byte may still take for its own. */
  get shadow(): number {
    return Math.max(0, NEAR + 1 - this.#sinceLead);
  }

  get afterUnknownLead(): boolean {
    return this.#sinceLead === 1;
  }

  to(forward: (bytes: Uint8Array) => void): void {
    this.#forward = forward;
  }

  take(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = this.#from = 0;
  }

  flush(): void {
    if (this.#from < this.at) this.#forward(this.bytes.subarray(this.#from, this.at));
    this.#from = this.at;
  }

  /** Lets the next `count` bytes through. */
  pass(count: number): void {
    this.at += count;
    this.#follow(this.bytes, this.at, count);
    if (this.#sinceLead <= NEAR) this.#sinceLead += count;
  }

  #follow(bytes: Uint8Array, end: number, count: number): void {
    const last = bytes[end - 1];
    if (count === 0) return;
    if (last === DLE) this.#trail = 1;
    else if (last === DC4 && (count > 1 ? bytes[end - 2] === DLE : this.#trail === 1)) this.#trail = 2;
    else this.#trail = 0;
  }

  /** Lets a lead byte through that opens no known command. */
  passUnknownLead(): void {
    this.pass(1);
    this.#sinceLead = 1;
  }

  /** Takes the next `count` bytes out. */
  skip(count: number): void {
    this.flush();
    this.at += count;
    this.#from = this.at;
  }

  /** Puts bytes in that do not stand here in the stream. */
  insert(bytes: Uint8Array): void {
    this.flush();
    this.#forward(bytes);
    this.#follow(bytes, bytes.length, bytes.length);
    this.#sinceLead = NEAR + 1;
    this.halfCharacter = false;
  }

  /** Where something was taken out, or something may hide: what an unknown lead byte waits for shall be a NUL. */
  separate(): void {
    if (this.#sinceLead <= NEAR) this.insert(ONE_NUL);
  }

  /** If the next bytes, up to `end`, complete a DLE DC4 that went out already, the byte that does turns into NUL. */
  breakTrail(end: number): void {
    const { bytes, at } = this;
    if (this.#trail === 2 && isTrigger(bytes[at])) bytes[at] = NUL;
    else if (this.#trail === 1 && bytes[at] === DC4 && at + 1 < end && isTrigger(bytes[at + 1])) bytes[at + 1] = NUL;
  }
}
