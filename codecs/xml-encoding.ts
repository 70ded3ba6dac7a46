/** Which encoding the bytes of an XML document have ("Extensible Markup Language 1.0", appendix F; RFC 7303, 3), and their text. */
import { WINDOWS_1252 } from './windows-1252.ts';

/** Bytes in which a declaration ends that anybody writes. */
export const XML_DECLARATION_BYTES = 256;

/** Decodes the pieces of a document in their order. */
export interface XmlDecoder {
  /** Where bytes are none of the encoding, U+FFFE stands, which XML does not have. */
  decode(bytes: Uint8Array): string;
  end(): string;
}

/**
 * The decoder of a document: by its byte order mark, else by its declaration, else by the `charset` of its media type; UTF-8 where nothing
 * says otherwise. `beginning`: its first `XML_DECLARATION_BYTES`, or all of it. Throws a RangeError that names an encoding that is not known.
 */
export function xmlDecoder(beginning: Uint8Array, mediaType = ''): XmlDecoder {
  const ascii = Buffer.from(beginning.subarray(0, XML_DECLARATION_BYTES)).toString('latin1');
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(ascii)?.[1];
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType)?.[1];
  const marked = [...MARKS].find(([mark]) => ascii.startsWith(mark))?.[1];
  const label = marked ?? declared ?? charset ?? 'utf-8';
  let decoder: InstanceType<typeof TextDecoder>;
  let strict: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(label);
    strict = new TextDecoder(label, { fatal: true });
  } catch {
    throw new RangeError(`encoding: ${label.slice(0, 40)} is not known here`);
  }
  if (decoder.encoding === 'windows-1252')
    return { decode: (bytes) => Array.from(bytes, (byte) => WINDOWS_1252[byte]).join(''), end: () => '' };
  let isWrong = false;
  const decoded = (bytes: Uint8Array, options?: { stream: true }): string => {
    const text = decoder.decode(bytes, options);
    try {
      if (!isWrong) strict.decode(bytes, options);
    } catch {
      isWrong = true;
    }
    // A document may have U+FFFD of its own.
    return isWrong ? text.replaceAll('\ufffd', NONCHARACTER) : text;
  };
  return { decode: (bytes) => decoded(bytes, { stream: true }), end: () => decoded(new Uint8Array()) };
}

const NONCHARACTER = '\ufffe';

/** Byte order marks. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
]);
