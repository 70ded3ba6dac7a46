/** Byte helpers of the virtual printer. */

/** The pieces in one new array. */
export function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const piece of pieces) {
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** Bytes decoded as UTF-8; invalid ones become U+FFFD. */
export const utf8Text = (bytes: Uint8Array): string => UTF8.decode(bytes);
