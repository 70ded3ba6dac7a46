/** Encodings of text by their labels: those of the WHATWG Encoding Standard, and the code pages of MS-DOS, which it has not. */
import { type CodePage, characterOf, isCodePage } from './code-pages.ts';
import { WINDOWS_1252 } from './windows-1252.ts';

/** Names of a code page: 437, cp437, IBM437, IBM00858 (IANA, "Character Sets"), PC850, dos-852. */
const PAGE = /^(?:cp|ibm|ccsid|pc|dos|codepage)?[ _-]?0{0,2}(\d{3,4})$/i;

/**
 * The encoding of a label: the name that TextDecoder has for it, or the characters of its 256 bytes, of which those below 80 are ASCII,
 * and U+FFFD where a byte has none. Throws a
 * RangeError that names a label that is not known.
 */
export function encodingOf(label: string): string | readonly string[] {
  let name: string | undefined;
  try {
    name = new TextDecoder(label).encoding;
  } catch {
    const page = `cp${PAGE.exec(label)?.[1]}`;
    if (isCodePage(page)) return page === 'cp1252' ? WINDOWS_1252 : charactersOf(page);
    throw new RangeError(`encoding: ${label.slice(0, 40)} is not known here`);
  }
  return name === 'windows-1252' ? WINDOWS_1252 : name;
}

const charactersOf = (page: CodePage): readonly string[] =>
  Array.from({ length: 256 }, (_, byte) => characterOf(page, byte));

/** Bytes as text, by the characters of each, which are of one unit of UTF-16. */
export function charactersOfBytes(bytes: Uint8Array, characters: readonly string[]): string {
  const units = Buffer.allocUnsafe(2 * bytes.length);
  const codes = characters.map((character) => character.charCodeAt(0));
  for (let at = 0; at < bytes.length; at += 1) {
    const code = codes[bytes[at]!]!;
    units[2 * at] = code & 0xff;
    units[2 * at + 1] = code >> 8;
  }
  return units.toString('utf16le');
}

/** The encoding that a byte order mark says, if there is one. */
export function encodingByMark(beginning: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third] = beginning;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/**
 * A text by its byte order mark, else by the label, else UTF-8, or UTF-16 where that is what it looks like. UTF-16 without a mark is of
 * the order in which its high bytes are zero, as those of most letters, digits and spaces are. Throws a RangeError where the label is
 * not known, or bytes are none of the encoding.
 */
export function decodedText(bytes: Uint8Array, label = looksLikeUtf16(bytes) ? 'utf-16' : 'utf-8'): string {
  const encoding = encodingByMark(bytes) ?? encodingOf(/^utf-16$/i.test(label) ? orderOf(bytes) : label);
  if (typeof encoding === 'string') {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      throw new RangeError(`has bytes that are none of the encoding ${encoding}`);
    }
  }
  const text = charactersOfBytes(bytes, encoding);
  if (text.includes('\ufffd')) throw new RangeError(`has bytes that are none of the encoding ${label.slice(0, 40)}`);
  return text;
}

/** How many bytes are zero, of those at even or odd places. */
const zeros = (bytes: Uint8Array, parity: 0 | 1): number =>
  bytes.filter((byte, at) => byte === 0 && at % 2 === parity).length;

const orderOf = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' =>
  zeros(bytes, 0) > zeros(bytes, 1) ? 'utf-16be' : 'utf-16le';

/** More than half of one side, and not as many of the other: a program may have filled a text of UTF-8 up with zeros. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  if (!bytes.includes(0) || bytes.length % 2 !== 0) return false;
  const sides = [zeros(bytes, 0), zeros(bytes, 1)];
  return Math.max(...sides) > bytes.length / 4 && Math.min(...sides) < bytes.length / 8;
}
