/** Which encoding the bytes of an XML document have ("Extensible Markup Language 1.0", appendix F; RFC 7303, 3), and their text. */
import { charactersOfBytes, encodingByMark, encodingOf } from './text-encoding.ts';

/** Bytes in which a declaration ends that anybody writes. */
export const XML_DECLARATION_BYTES = 256;

/** Decodes the pieces of a document in their order. */
export interface XmlDecoder {
  /** Where bytes are none of the encoding, U+FFFE stands, which XML does not have. */
  decode(bytes: Uint8Array): string;
  end(): string;
}

/**
 * The decoder of a document: by its byte order mark, or the `<` of UTF-16, else by its declaration, else by the `charset` of its media type; UTF-8 where nothing
 * says otherwise. `beginning`: its first `XML_DECLARATION_BYTES`, or all of it. Throws a RangeError that names an encoding that is not known.
 */
export function xmlDecoder(beginning: Uint8Array, mediaType = ''): XmlDecoder {
  const encoding = encodingOf(ownEncoding(beginning) ?? charsetOf(mediaType) ?? 'utf-8');
  if (typeof encoding !== 'string')
    return {
      decode: (bytes) => charactersOfBytes(bytes, encoding).replace('\ufffd', NONCHARACTER),
      end: () => '',
    };
  const decoder = new TextDecoder(encoding);
  const strict = new TextDecoder(encoding, { fatal: true });
  let isWrong = false;
  const decoded = (bytes: Uint8Array, options?: { stream: true }): string => {
    const text = decoder.decode(bytes, options);
    try {
      if (!isWrong) strict.decode(bytes, options);
    } catch {
      isWrong = true;
    }
    // A document may have U+FFFD of its own. Nobody reads on behind the first that is wrong.
    return isWrong ? text.replace('\ufffd', NONCHARACTER) : text;
  };
  return { decode: (bytes) => decoded(bytes, { stream: true }), end: () => decoded(new Uint8Array()) };
}

const NONCHARACTER = '\ufffe';

/** What has neither mark nor `<` of it is no UTF-16: programs write texts of their memory as UTF-8, and leave the name as it was. */
const unlessUtf16 = (name: string | undefined) => (name === undefined || /^utf-?16/i.test(name) ? undefined : name);

const charsetOf = (mediaType: string): string | undefined =>
  unlessUtf16(/;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType)?.[1]);

/** What a document says itself. */
function ownEncoding(beginning: Uint8Array): string | undefined {
  const ascii = Buffer.from(beginning.subarray(0, XML_DECLARATION_BYTES)).toString('latin1');
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(ascii)?.[1];
  return markOf(beginning) ?? unlessUtf16(declared);
}

/** The beginning of a document that is kept without its media type: it says itself what only that said. */
export function declaring(beginning: Uint8Array, mediaType: string): Uint8Array {
  const charset = charsetOf(mediaType);
  if (charset === undefined || ownEncoding(beginning) !== undefined) return beginning;
  const rest = Buffer.from(beginning)
    .toString('latin1')
    .replace(/^\s*<\?xml\s[^>]*\?>/, '');
  return Buffer.from(`<?xml version="1.0" encoding="${charset}"?>${rest}`, 'latin1');
}

/** UTF-16 may come without a mark: the `<` that a document begins with tells its order. */
function markOf(beginning: Uint8Array): string | undefined {
  const [first, second] = beginning;
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  return encodingByMark(beginning);
}
