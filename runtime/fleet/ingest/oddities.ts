/** What is wrong with requests, counted by kind, node and address. */

/** The kinds. */
export const ODDITIES = [
  'bad_body',
  'foreign_token',
  'bad_signature',
  'replay',
  'clock',
  'two_addresses',
  'duplicate',
  'flood',
] as const;
export interface Oddity {
  readonly kind: (typeof ODDITIES)[number];
  /** '' where it is not known for sure who sent it. */
  readonly node: string;
  readonly address: string;
  readonly detail: string;
}

/** Rows that wait for the next batch; others are counted in the last row of their kind. */
const KEYS = 1000;

/** Counts in memory until the next batch takes them along. */
export class Oddities {
  readonly #counted = new Map<string, Oddity & { count: number }>();

  /** Counts one. Beyond the bound, without node and address. */
  add({ count = 1, ...oddity }: Oddity & { readonly count?: number }): void {
    const key = `${oddity.kind} ${oddity.node} ${oddity.address}`;
    const at = this.#counted.has(key) || this.#counted.size < KEYS ? key : oddity.kind;
    const before = this.#counted.get(at);
    const kept = at === key ? oddity : { ...oddity, node: '', address: '' };
    this.#counted.set(at, { ...kept, count: (before?.count ?? 0) + count });
  }

  /** What was counted since the last time. */
  take(): readonly (Oddity & { readonly count: number })[] {
    const counted = [...this.#counted.values()];
    this.#counted.clear();
    return counted;
  }

  get size(): number {
    return this.#counted.size;
  }
}
