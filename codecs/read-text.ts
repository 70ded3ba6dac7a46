/** The text of a barcode that came as bytes. */

/** A longer read is refused. */
export const MAX_READ_CHARACTERS = 4096;
/** UTF-8 takes four for a character at most. */
export const MAX_READ_BYTES = 4 * MAX_READ_CHARACTERS;

/** NUL, tab, line feed, carriage return: the terminator set up in the scanner, or padding. */
const TRAILING = new Set([0x00, 0x09, 0x0a, 0x0d]);
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Without what trails it. UTF-8 where it is valid, else Latin-1: scanners pass on the bytes of the code, which says
 * nothing of its encoding.
 */
export function readText(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && TRAILING.has(bytes[end - 1] as number)) end -= 1;
  const own = bytes.subarray(0, end);
  try {
    return UTF8.decode(own);
  } catch {
    return String.fromCharCode(...own);
  }
}
