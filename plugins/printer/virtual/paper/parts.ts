/** Documents of a paper, a part at a time: what draws them can do other work behind each. */

/** Parts of a document, one behind the other; an empty one where there is no more of it yet. */
export type Parts<T = void> = Generator<string, T>;

/** An empty part. */
export const NOTHING_YET = '';

/** All parts. */
export const whole = (parts: Parts): string => [...parts].join('');
