/**
 * How long to wait before the next try, in the unit of `first`: after the first failure `first`, twice as long after each that
 * follows it, `longest` at most.
 */
export const backoff = (failures: number, first: number, longest = Number.POSITIVE_INFINITY): number =>
  Math.min(first * 2 ** Math.min(Math.max(0, failures - 1), MOST_DOUBLINGS), longest);

/** Keeps a pause of 0 one: times infinity it would be none. */
const MOST_DOUBLINGS = 60;
