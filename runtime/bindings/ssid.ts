/**
 * Names of Wi-Fi networks: bytes (IEEE 802.11, 9.4.2.2), of most networks UTF-8. In a string, a byte that is not part of
 * UTF-8 is one of the code units U+DC80 to U+DCFF (PEP 383, surrogateescape): JSON can carry each name, no two names are
 * the same string, and one in UTF-8 is the string that people type.
 */
const ESCAPE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/u;

/** Bytes of the UTF-8 sequence with this first byte (RFC 3629, 3). */
const lengthBy = (first: number): number => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);

/** The name as a string. */
export function ssidOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const [first = 0] = bytes.subarray(at);
    const length = lengthBy(first);
    try {
      text += decoder.decode(bytes.subarray(at, at + length));
      at += length;
    } catch {
      text += String.fromCharCode(ESCAPE + first);
      at += 1;
    }
  }
  return text;
}

/** The bytes of the name; of a string that `ssidOf` would not return, too. */
export const bytesOfSsid = (ssid: string): Buffer =>
  Buffer.concat(
    [...ssid].map((each) => (ESCAPED.test(each) ? Buffer.of(each.charCodeAt(0) - ESCAPE) : Buffer.from(each))),
  );

/** Whether the name is UTF-8: the string is its text. */
export const isText = (ssid: string): boolean => !ESCAPED.test(ssid);

/**
 * What to show people: its text, where bytes that are not UTF-8 are taken for Latin-1 (ISO/IEC 8859-1), and those that this
 * has no sign for are U+FFFD. Two names may look alike.
 */
export const shownSsid = (ssid: string): string =>
  ssid.replace(/[\udc80-\udcff]/gu, (each) => {
    const byte = each.charCodeAt(0) - ESCAPE;
    return byte < 0xa0 ? '\ufffd' : String.fromCharCode(byte);
  });
