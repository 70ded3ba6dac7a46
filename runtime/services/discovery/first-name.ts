/**
 * The way back to the first name: a node that had to take another asks for it once a minute, and takes it again when
 * nobody has answered for ten minutes. RFC 6762 says when a name is lost (9), and leaves open for how long.
 */
import type { Answer } from 'dns-packet';
import { contradicts } from './conflict.ts';
import type { OwnRecord } from './packet.ts';

const ASK_EVERY_MS = 60_000;
const GONE_MS = 600_000;

export interface FirstNameParts {
  /** What it would say under its first name; none while it has that. */
  readonly records: () => readonly OwnRecord[];
  readonly ask: (name: string) => void;
  readonly take: () => void;
}

export class FirstName {
  readonly #parts: FirstNameParts;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic ms: when somebody was last seen to have it. */
  #seenAt = 0;

  constructor(parts: FirstNameParts) {
    this.#parts = parts;
  }

  /** Somebody has it. */
  lost(): void {
    this.#seenAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ASK_EVERY_MS);
  }

  hear(claims: readonly Answer[]): void {
    const own = this.#parts.records();
    if (claims.some((claim) => contradicts(claim, own))) this.#seenAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const { records, ask, take } = this.#parts;
    const names = new Set(records().map(({ name }) => name));
    if (names.size === 0) return;
    if (performance.now() - this.#seenAt >= GONE_MS) {
      take();
      return;
    }
    for (const name of names) ask(name);
    this.#timer = setTimeout(() => this.#look(), ASK_EVERY_MS);
  }
}
