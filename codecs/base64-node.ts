/** As `base64.ts`, by Node, without code that has to be compiled first: for programs that no browser runs. */

/** The bytes; undefined where the text is not canonical base64 (RFC 4648, section 4: alphabet, padding, zero bits at the end). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  // It passes over what is no digit.
  return bytes.toString('base64') === text ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : undefined;
}

/** The text of bytes. */
export const encodeBase64 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('base64');
