/**
 * Return to the first name: a node that had to rename itself queries for its first name once a minute, and takes it
 * back when no other host has answered for ten minutes. RFC 6762 says when a name is lost (9), but not for how long.
 */
import type { Answer } from 'dns-packet';
import { contradicts } from './conflict.ts';
import type { OwnRecord } from './packet.ts';

const ASK_EVERY_MS = 60_000;
const GONE_MS = 600_000;

/** What `FirstName` is given by the responder. */
export interface FirstNameParts {
  /** The records that the node would have under its first name; empty while it has that name. */
  readonly records: () => readonly OwnRecord[];
  /** Sends a query for a name. */
  readonly ask: (name: string) => void;
  /** Starts to use the first name again. */
  readonly take: () => void;
}

/** Watches whether the first name is still in use by another host. */
export class FirstName {
  readonly #parts: FirstNameParts;
  #timer: NodeJS.Timeout | undefined;
  /** When another host was last seen with the name (monotonic ms). */
  #seenAt = 0;

  constructor(parts: FirstNameParts) {
    this.#parts = parts;
  }

  /** Another host has the name: start to query for it. */
  lost(): void {
    this.#seenAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ASK_EVERY_MS);
  }

  /** Takes the records of every received response. */
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
