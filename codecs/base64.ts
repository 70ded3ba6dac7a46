/** Base64 of RFC 4648, section 4. */

/** The bytes; undefined where the text is not canonical base64 (alphabet, padding, zero bits at the end). Not for browsers. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  // It passes over what is no digit.
  return bytes.toString('base64') === text ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : undefined;
}

/** Bytes that become text at once: whole groups of three, and no more arguments of a call than every engine takes. */
const PIECE = 8190;

/** The text of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  if (globalThis.Buffer !== undefined)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  // In a browser.
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}
