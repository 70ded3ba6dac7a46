/** Base64 of RFC 4648, section 4. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By byte, the value of the digit (six bits); -1 where it is no digit of base64. */
const BITS = new Int32Array(256).fill(-1);
for (let value = 0; value < ALPHABET.length; value += 1) BITS[ALPHABET.charCodeAt(value)] = value;
const UTF8 = new TextEncoder();

/** The bytes; undefined where the text is not canonical base64 (alphabet, padding, zero bits at the end). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  // Padding is read as zero bits, which are checked and removed at the end.
  const digits = UTF8.encode(padding === 0 ? text : text.slice(0, -padding) + 'A'.repeat(padding));
  if (digits.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array((digits.length / 4) * 3);
  for (let at = 0, to = 0; at < digits.length; at += 4, to += 3) {
    const bits =
      (BITS[digits[at]!]! << 18) |
      (BITS[digits[at + 1]!]! << 12) |
      (BITS[digits[at + 2]!]! << 6) |
      BITS[digits[at + 3]!]!;
    if (bits < 0) return undefined;
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  const end = bytes.length - padding;
  return bytes.subarray(end).every((byte) => byte === 0) ? bytes.subarray(0, end) : undefined;
}

/** Bytes that become text at once: whole groups of three, and no more arguments of a call than every engine takes. */
const PIECE = 8190;

/** The text of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}
