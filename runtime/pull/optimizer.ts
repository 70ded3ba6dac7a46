/**
 * V8's optimizing compilers: their own code and what they work in take 7 to 12 MB from their first use on, and a receipt of text and
 * dots is over before it is worth it. Pictures that are made grey or made as wide as the paper take a tenth of the time with them.
 */
import { setFlagsFromString } from 'node:v8';

const COMPILERS = ['opt', 'maglev'] as const;

let isSparing = false;
let pictures = 0;

const set = (prefix: '' | 'no-') => {
  for (const name of COMPILERS) setFlagsFromString(`--${prefix}${name}`);
};

/** For a process of its own: from here on they are used for `compiled` work alone. */
export function spareOptimizer(): void {
  isSparing = true;
  set('no-');
}

/** Does work on a picture, with them. */
export async function compiled<T>(work: () => T | Promise<T>): Promise<T> {
  if (!isSparing) return work();
  pictures += 1;
  set('');
  try {
    return await work();
  } finally {
    pictures -= 1;
    if (pictures === 0) set('no-');
  }
}
