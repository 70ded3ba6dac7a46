/**
 * The document of one job, as it arrives. Up to its bound it is held, and printed when it is whole: nothing of a damaged one comes
 * out, and a slow client keeps nobody waiting. A longer one is passed on while it prints, as fast as the printer takes it.
 */

/** Pieces that are passed on have so many bytes at least, so that dripping bytes cost little. */
const PIECE_BYTES = 16 * 1024;

/** A document. One side writes with `push` and `end`; the other waits for `ready` and then reads. */
export class Spool {
  readonly #bound: number;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #whole = false;
  #fault: Error | undefined;
  /** Reading has begun to let go of what was read. */
  #flows = false;
  #waiting: (() => void)[] = [];

  /** `bound`: bytes that are held at most. */
  constructor(bound: number) {
    this.#bound = bound;
  }

  /** All of it is here. */
  get isWhole(): boolean {
    return this.#whole && !this.#flows;
  }

  get isFull(): boolean {
    return this.#held >= this.#bound;
  }

  /** Takes the next bytes; resolves when more may come. Rejects where the job has ended. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#fault === undefined && bytes.length > 0) {
      this.#chunks.push(bytes);
      this.#held += bytes.length;
      this.#change();
    }
    while (this.isFull && this.#fault === undefined) await this.#changed();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** No more bytes come. */
  end(): void {
    this.#whole = true;
    this.#change();
  }

  /** The document, or the job, is at its end: both sides are told. Nothing is held any more. */
  fail(fault: Error): void {
    this.#fault ??= fault;
    this.#chunks = [];
    this.#held = 0;
    this.#change();
  }

  /** Resolves when it is whole or full; rejects where it failed. */
  async ready(): Promise<void> {
    while (!this.#whole && !this.isFull && this.#fault === undefined) await this.#changed();
    if (this.#fault !== undefined) throw this.#fault;
  }

  get held(): number {
    return this.#held;
  }

  /** What it held was read, and is not needed again. */
  drop(): void {
    this.#chunks = [];
    this.#held = 0;
  }

  /** The first bytes, to tell its format by. */
  peek(length: number): Uint8Array {
    return Buffer.concat(this.#chunks.slice(0, length)).subarray(0, length);
  }

  /** All of a whole document. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  /**
   * The document in pieces. A whole one stays and can be read again; of another one each piece is let go of. Rejects where no byte
   * came for `stallMs`, and as `ready`.
   */
  async *read(stallMs: number): AsyncGenerator<Uint8Array> {
    if (this.isWhole) {
      yield* this.#chunks;
      return;
    }
    this.#flows = true;
    for (;;) {
      while (this.#held < PIECE_BYTES && !this.#whole && this.#fault === undefined) await this.#more(stallMs);
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#held === 0) return;
      const piece = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#held = 0;
      this.#change();
      yield piece;
    }
  }

  async #more(stallMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the document stopped in the middle')), stallMs);
    });
    try {
      await Promise.race([this.#changed(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #change(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
