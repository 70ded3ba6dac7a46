/** The memory of all documents, shared by the clients that send them. */

/** What holds memory for a document that may still be arriving. */
export interface Comer {
  readonly isComing: boolean;
  /** Ends it, which gives its memory back. */
  giveWay(): void;
}

/** What a document holds, in bytes. */
interface Held {
  readonly address: string;
  readonly bytes: number;
  readonly comer: Comer | undefined;
}

/**
 * An address may have as much as is left for others, and what it asks for first wherever that fits. A document that is still
 * arriving gives way to one of an address that holds no more than its own does: who drips, or stops, keeps nobody away.
 */
export class DocumentMemory {
  readonly #bytes: number;
  readonly #held = new Set<Held>();

  /** `bytes`: all that there is. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Takes some for a document. Returns what gives it back; undefined where there is not so much. */
  take(address: string, bytes: number, comer?: Comer): (() => void) | undefined {
    while (!this.#fits(address, bytes)) {
      const out = this.#whoGivesWay(this.#of(address) + bytes);
      if (out === undefined) return undefined;
      out.comer?.giveWay();
      this.#held.delete(out);
    }
    const held: Held = { address, bytes, comer };
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

  /** The oldest that is arriving of the address that holds most; undefined where none holds `least`. */
  #whoGivesWay(least: number): Held | undefined {
    let [found, most]: [Held | undefined, number] = [undefined, least - 1];
    for (const held of this.#held) {
      const has = this.#of(held.address);
      if (held.comer?.isComing !== true || has <= most) continue;
      [found, most] = [held, has];
    }
    return found;
  }
}
