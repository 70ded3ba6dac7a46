/** A set of code points as the index of the pack writes it. */
export class CodePoints {
  readonly #starts: number[] = [];
  /** How many code points are in the ranges before each, and at the end in all. */
  readonly #ranks: number[] = [0];

  /** `pairs`: how many code points are left out before a range, and how many are in it; then the next range. */
  constructor(pairs: readonly number[]) {
    let at = 0;
    for (let pair = 0; pair < pairs.length; pair += 2) {
      at += pairs[pair]!;
      this.#starts.push(at);
      at += pairs[pair + 1]!;
      this.#ranks.push(this.size + pairs[pair + 1]!);
    }
  }

  get size(): number {
    return this.#ranks.at(-1)!;
  }

  /** How many smaller code points are in the set; -1 where this one is not. */
  rank(codePoint: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= codePoint) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return -1;
    const rank = this.#ranks[low - 1]! + codePoint - this.#starts[low - 1]!;
    return rank < this.#ranks[low]! ? rank : -1;
  }
}

/** Writes a set for `CodePoints`. */
export function pairsOf(codePoints: Iterable<number>): number[] {
  const pairs: number[] = [];
  let next = 0;
  for (const codePoint of [...new Set(codePoints)].sort((a, b) => a - b)) {
    if (pairs.length > 0 && codePoint === next) pairs[pairs.length - 1]! += 1;
    else pairs.push(codePoint - next, 1);
    next = codePoint + 1;
  }
  return pairs;
}
