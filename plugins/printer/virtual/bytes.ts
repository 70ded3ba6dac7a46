/** Bytes in the virtual printer's hands. It also runs in a browser, for the preview of a receipt. */

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
export const utf8Text = (bytes: Uint8Array): string => UTF8.decode(bytes);
