/** Base64 of RFC 4648, section 4. */
import { Buffer } from 'node:buffer';

/** The bytes, or undefined where the text is not the one canonical form: alphabet, padding, zero bits at the end. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
