/** The memory of all documents, shared by the clients that send them. */

/** A job that holds memory for its document, which may still be arriving (job-state-reasons: `job-incoming`). */
export interface IncomingJob {
  readonly isIncoming: boolean;
  /** Ends it, which gives its memory back. */
  giveWay(): void;
}

/** What a document holds, in bytes. */
interface Held {
  readonly address: string;
  readonly bytes: number;
  readonly job: IncomingJob | undefined;
}

/**
 * An address may hold as much as it leaves to the others; its first document is taken wherever it fits. A document that is still
 * arriving gives way to one of an address that holds no more: a client that sends slowly, or stops, keeps no other away.
 */
export class DocumentMemory {
  readonly #bytes: number;
  readonly #held = new Set<Held>();

  /** `bytes`: all that there is. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Reserves memory for a document. Returns a function that gives it back; undefined where there is not enough. */
  take(address: string, bytes: number, job?: IncomingJob): (() => void) | undefined {
    while (!this.#fits(address, bytes)) {
      const out = this.#whoGivesWay(this.#of(address) + bytes);
      if (out === undefined) return undefined;
      out.job?.giveWay();
      this.#held.delete(out);
    }
    const held: Held = { address, bytes, job };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  #fits(address: string, bytes: number): boolean {
    const own = this.#of(address);
    const left = this.#bytes - this.#of();
    return bytes <= left && (own === 0 || own + bytes <= left);
  }

  /** What is held by an address, or by all. */
  #of(address?: string): number {
    let sum = 0;
    for (const held of this.#held) if (address === undefined || held.address === address) sum += held.bytes;
    return sum;
  }

  /** The oldest document that is arriving, of the address that holds most; undefined where none holds `least` bytes. */
  #whoGivesWay(least: number): Held | undefined {
    let [found, most]: [Held | undefined, number] = [undefined, least - 1];
    for (const held of this.#held) {
      const has = this.#of(held.address);
      if (held.job?.isIncoming !== true || has <= most) continue;
      [found, most] = [held, has];
    }
    return found;
  }
}
