/** Decodes the bytes of a scanned bar code to text. */

/** Most characters of a read; a longer one is refused. */
export const MAX_READ_CHARACTERS = 4096;
/** Bytes that so many characters need at most: four each in UTF-8. */
export const MAX_READ_BYTES = 4 * MAX_READ_CHARACTERS;

/** NUL, tab, line feed, carriage return: the terminator set up in the scanner, or padding. */
const TRAILING = new Set([0x00, 0x09, 0x0a, 0x0d]);
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text without trailing terminators and padding. Decodes UTF-8 where that is valid, else Latin-1: scanners send the
 * bytes of the bar code, which does not name its encoding.
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
