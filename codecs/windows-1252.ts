/**
 * Windows-1252 as the WHATWG Encoding Standard has it, where `latin1` and `iso-8859-1` are other names of it. TextDecoder is
 * not asked: that of Node 20.18.3 and later takes 80 to 9F for the control characters of Latin-1 (nodejs/node #60888).
 */
import { characterOf } from './code-pages.ts';

/** The character of each byte; a byte that has none is the control character of its number. */
export const WINDOWS_1252: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = characterOf('cp1252', byte);
  return character === '\ufffd' ? String.fromCharCode(byte) : character;
});

/** Bytes as text. */
export const windows1252 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => WINDOWS_1252[byte]).join('');
