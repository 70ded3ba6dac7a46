/** Which encoding the bytes of an XML document have ("Extensible Markup Language 1.0", appendix F; RFC 7303, 3), and their text. */
import { WINDOWS_1252 } from './windows-1252.ts';

/** Bytes in which a declaration ends that anybody writes. */
export const XML_DECLARATION_BYTES = 256;

/** Decodes the pieces of a document in their order. */
export interface XmlDecoder {
  /** Bytes that are none of the encoding become U+FFFD. */
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
  try {
    decoder = new TextDecoder(label);
  } catch {
    throw new RangeError(`encoding: ${label.slice(0, 40)} is not known here`);
  }
  if (decoder.encoding === 'windows-1252')
    return { decode: (bytes) => Array.from(bytes, (byte) => WINDOWS_1252[byte]).join(''), end: () => '' };
  return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

/** Byte order marks. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
]);
