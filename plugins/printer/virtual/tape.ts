import { Interpreter, type Snapshot } from './interpreter.ts';
import type { PaperModel } from './paper/model.ts';
import { Paper } from './paper/paper.ts';

const BLOCK_BYTES = 65_536;
/** One more than a mebibyte fills, so that the last one is whole whatever is left of the first of them. */
const BLOCKS = 17;
const MEBIBYTE = 16 * BLOCK_BYTES;

interface Block {
  readonly store: Uint8Array;
  used: number;
  printed: number;
  /** The interpreter just before this block's first byte; undefined until that byte is printed. */
  before: Snapshot | undefined;
  /** Where, in this block, the power was cut: what stands before is not on the paper unless it was printed by then. */
  readonly cuts: number[];
}

/**
 * Stores the last mebibyte of the bytes that a printer received, and how many are printed. Each block keeps the state of the
 * interpreter at its beginning, so the paper is only drawn on request, by printing the stored bytes again. Blocks are reused:
 * the memory stays the same for any length of paper.
 */
export class Tape {
  readonly #interpreter: Interpreter;
  #blocks: Block[] = [];

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** Bytes taken and not printed yet. */
  get waiting(): number {
    return this.#blocks.reduce((sum, block) => sum + block.used - block.printed, 0);
  }

  /** Bytes that are no longer stored, whoever took them off. */
  get tornOff(): number {
    return this.#tornOff + this.#overwritten + this.#beyond;
  }

  /** Bytes that came since the paper was torn off, and for which there was no room. */
  get overwritten(): number {
    return this.#overwritten + this.#beyond;
  }

  #tornOff = 0;
  #overwritten = 0;

  /** What is stored besides the last mebibyte. */
  get #beyond(): number {
    return Math.max(0, this.#blocks.reduce((sum, { used }) => sum + used, 0) - MEBIBYTE);
  }

  /** Stores a copy of at most `BLOCK_BYTES` bytes. Bytes that wait must be much fewer than the whole tape. */
  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      let block = this.#blocks.at(-1);
      if (!block || block.used === BLOCK_BYTES) block = this.#nextBlock();
      const room = Math.min(BLOCK_BYTES - block.used, bytes.length - at);
      block.store.set(at === 0 && room === bytes.length ? bytes : bytes.subarray(at, at + room), block.used);
      block.used += room;
      at += room;
    }
  }

  print(): void {
    for (const block of this.#blocks) {
      if (block.printed === block.used) continue;
      block.before ??= this.#interpreter.snapshot();
      const from = block.printed;
      block.printed = block.used;
      this.#interpreter.feed(block.store.subarray(from, block.used));
    }
  }

  /** Drops the bytes that wait and resets the interpreter, as after a power cut. */
  reset(): void {
    for (const block of this.#blocks) block.used = block.printed;
    this.#interpreter.reset();
    this.#blocks = this.#blocks.filter((block) => block.used > 0);
    const last = this.#blocks.at(-1);
    if (last && last.cuts.at(-1) !== last.used) last.cuts.push(last.used);
  }

  tearOff(): void {
    const waiting = Buffer.concat(this.#blocks.map((block) => block.store.subarray(block.printed, block.used)));
    this.#tornOff += this.#overwritten + this.#blocks.reduce((sum, block) => sum + block.printed, 0);
    this.#overwritten = 0;
    this.#blocks = [];
    this.take(waiting);
  }

  /** The last mebibyte of what is stored, printed or waiting. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#blocks.map((block) => block.store.subarray(0, block.used))).subarray(this.#beyond);
  }

  /** Prints the stored bytes on a new paper. */
  paper(model: PaperModel): Paper {
    const paper = new Paper(model);
    const interpreter = new Interpreter({ paper }, model);
    for (const block of this.#blocks) {
      if (!block.before) break;
      interpreter.restore(block.before);
      let from = 0;
      for (const cut of block.cuts) {
        interpreter.feed(block.store.subarray(from, cut));
        interpreter.reset();
        from = cut;
      }
      interpreter.feed(block.store.subarray(from, block.printed));
    }
    paper.finish();
    return paper;
  }

  #nextBlock(): Block {
    const oldest = this.#blocks.length < BLOCKS ? undefined : this.#blocks.shift();
    this.#overwritten += oldest?.used ?? 0;
    const store = oldest?.store ?? new Uint8Array(BLOCK_BYTES);
    const block = { store, used: 0, printed: 0, before: undefined, cuts: [] };
    this.#blocks.push(block);
    return block;
  }
}
