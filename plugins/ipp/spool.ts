/**
 * The document of one job, as it arrives. Up to its bound it is held, and printed when it is whole: nothing of a damaged one comes
 * out, and a slow client keeps nobody waiting. A longer one is passed on while it prints, as fast as the printer takes it.
 */

import { Gathered } from '../../runtime/base/gathered.ts';

/** Pieces that are passed on have so many bytes at least, so that dripping bytes cost little. */
const PIECE_BYTES = 16 * 1024;

/** A document. One side writes with `push` and `end`; the other waits for `ready` and then reads. */
export class Spool {
  readonly #bound: number;
  readonly #bytes = new Gathered();
  #whole = false;
  #fault: Error | undefined;
  /** What is read is not kept any more. */
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

  /** Nothing of it was let go of: it can be read from its beginning. */
  get isComplete(): boolean {
    return !this.#flows;
  }

  get isFull(): boolean {
    return this.held >= this.#bound;
  }

  /** Takes the next bytes; resolves when more may come. Rejects where the job has ended. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#fault === undefined && bytes.length > 0) {
      this.#bytes.push(bytes);
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
    this.#bytes.clear();
    this.#change();
  }

  /** Resolves when it is whole or full; rejects where it failed. */
  async ready(): Promise<void> {
    while (!this.#whole && !this.isFull && this.#fault === undefined) await this.#changed();
    if (this.#fault !== undefined) throw this.#fault;
  }

  get held(): number {
    return this.#bytes.length;
  }

  /** What it held was read, and is not needed again. */
  drop(): void {
    this.#bytes.clear();
  }

  /** The first bytes, to tell its format by. */
  peek(length: number): Uint8Array {
    return Buffer.concat(this.#bytes.pieces.slice(0, length)).subarray(0, length);
  }

  /** All of a whole document. */
  bytes(): Uint8Array {
    return this.#bytes.whole();
  }

  /**
   * The document in pieces. A whole one stays and can be read again; of another one each piece is let go of. Rejects where a piece
   * did not come in `stallMs`, however many bytes of it dripped in, and as `ready`.
   */
  async *read(stallMs: number): AsyncGenerator<Uint8Array> {
    if (this.isWhole) {
      yield* this.#bytes.pieces;
      return;
    }
    this.#flows = true;
    for (;;) {
      await this.#piece(stallMs);
      if (this.#fault !== undefined) throw this.#fault;
      if (this.held === 0) return;
      const piece = this.#bytes.whole();
      this.#bytes.clear();
      this.#change();
      yield piece;
    }
  }

  /** Resolves when a piece is here, or the end. */
  async #piece(stallMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the document stopped in the middle')), stallMs);
    });
    try {
      while (this.held < PIECE_BYTES && !this.#whole && this.#fault === undefined)
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
