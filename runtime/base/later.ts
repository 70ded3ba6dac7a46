/**
 * Text that no start of an image needs, or only once: the build takes it out of the bundle, which is read, compiled and kept, into a
 * file beside it, and leaves its place in that file. Until then, as in a test or in a bundle that is no image's, it stands whole
 * where it is used.
 */
import { openSync, readSync } from 'node:fs';

/** Beside the bundle of an image. */
export const LATER_FILE = 'node.later';
/** What such a text begins with. It is followed by the text, and in an image by its place. */
export const LATER = 'tillnode-later:';
const MOVED = /^tillnode-later:@(\d+)\+(\d+)$/;

let file: number | undefined;

/** What is left in a bundle of a text of this many bytes, from this byte of the file on. */
export const placeInBundle = (from: number, bytes: number): string => `${LATER}@${from}+${bytes}`;

/**
 * Opens the file of this image, by default that beside the bundle. It stays open: a package or a build may put another one in its
 * place while the node runs.
 */
export function openLater(path = require.resolve(`./${LATER_FILE}`)): void {
  file = openSync(path, 'r');
}

/** Opens the file where this text is in it: to be called as a start begins, with any. */
export function keepLater(text: string): void {
  if (file === undefined && MOVED.test(text)) openLater();
}

/** The text that stands here, or in the file. */
export function laterText(text: string): string {
  const [, from, bytes] = MOVED.exec(text) ?? [];
  if (from === undefined) return text.startsWith(LATER) ? text.slice(LATER.length) : text;
  if (file === undefined) openLater();
  const read = Buffer.allocUnsafe(Number(bytes));
  if (readSync(file!, read, 0, read.length, Number(from)) < read.length)
    throw new Error(`${LATER_FILE} has no ${text}`);
  return read.toString();
}

/** An object as JSON, which is read when it is first looked at. */
export function laterObject<T extends object>(text: string): T {
  let whole: T | undefined;
  const filled = (target: T): T => {
    whole ??= Object.assign(target, JSON.parse(laterText(text)) as T);
    return whole;
  };
  return new Proxy({} as T, {
    get: (target, key) => Reflect.get(filled(target), key),
    has: (target, key) => Reflect.has(filled(target), key),
    ownKeys: (target) => Reflect.ownKeys(filled(target)),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(filled(target), key),
  });
}
