/** The bytes of one job, in a buffer that grows up to a limit. */

/** The job does not fit its buffer. */
export class JobTooLarge extends Error {}

/** What writes throws `JobTooLarge` when the job would exceed its limit. */
export class JobBytes {
  readonly #limit: number;
  protected bytes: Uint8Array;
  /** How many of `bytes` are written. */
  protected written = 0;

  /** `limit`: most bytes of the job. `expected`: bytes to allocate at first. */
  constructor(limit: number, expected: number) {
    this.#limit = limit;
    this.bytes = new Uint8Array(Math.min(limit, expected));
  }

  getBuffer(): Uint8Array {
    return this.bytes.subarray(0, this.written);
  }

  /** Bytes of the job so far. */
  get length(): number {
    return this.written;
  }

  /** Bytes that the job may still take. */
  get bytesLeft(): number {
    return this.#limit - this.written;
  }

  append(bytes: ArrayLike<number>): void {
    this.reserve(bytes.length);
    const into = this.bytes;
    let length = this.written;
    if (bytes.length > 16) into.set(bytes, length);
    else for (let at = 0; at < bytes.length; at += 1) into[length + at] = bytes[at]!;
    length += bytes.length;
    this.written = length;
  }

  /** A loop: the runs are short, and `fill` costs more than it saves up to some dozens of bytes. */
  protected fill(byte: number, count: number): void {
    this.reserve(count);
    const end = this.written + count;
    for (let at = this.written; at < end; at += 1) this.bytes[at] = byte;
    this.written = end;
  }

  protected write(...bytes: readonly number[]): void {
    this.reserve(bytes.length);
    for (let at = 0; at < bytes.length; at += 1) this.bytes[this.written + at] = bytes[at]!;
    this.written += bytes.length;
  }

  /** Makes room for so many bytes behind those that are written. */
  protected reserve(count: number): void {
    const needed = this.written + count;
    if (needed <= this.bytes.length) return;
    if (needed > this.#limit) throw new JobTooLarge();
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(needed, 2 * this.bytes.length)));
    grown.set(this.bytes.subarray(0, this.written));
    this.bytes = grown;
  }
}
