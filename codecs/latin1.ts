/** ISO/IEC 8859-1: characters 00 to FF as the bytes of the same number. */

/** One byte for each character, which must be at most U+00FF. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
