/** A page of the node as one document: in the language and coding that the browser asks for, and sent once. */
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync, gzip, constants as zlib } from 'node:zlib';
import { directionOf } from '../base/language.ts';
import { type Route, route } from '../kernel/plugin.ts';
import { Reply } from '../kernel/reply.ts';
import { keep } from './large.ts';
import { languageFor, takesGzip, takesTag } from './negotiation.ts';

/** A document as the build generates it. */
export interface BuiltDocument {
  /** Entity tag, without quotes. */
  readonly etag: string;
  /** Value of the Content-Security-Policy header field. */
  readonly policy: string;
  /** Available languages; the first is used if a reader's browser asks for none of them. */
  readonly languages: readonly string[];
  /** What it is in one of its languages is made of. Throws if it is not there. */
  parts(language: string): DocumentParts;
}

/** The parts of a document in one language. */
export interface DocumentParts {
  /** The document with a placeholder for its texts. */
  readonly html: string;
  /** The tables of the texts, as JSON. */
  readonly texts: string;
}

/** More than the parts of all documents are: one buffer, of which what is written to takes memory. */
const UNPACKED_BYTES = 4 * 1024 * 1024;

/** Takes the parts of a document out of the file that the build packed. Throws if they are not there. */
export function partsFrom(file: string, name: string, language: string): DocumentParts {
  const lines = brotliDecompressSync(readFileSync(file), { chunkSize: UNPACKED_BYTES });
  const line = (key: string) => {
    const at = lines.indexOf(`\n${key} `);
    if (at < 0) throw new Error(`${file} has no ${key}`);
    const from = at + key.length + 2;
    return lines.toString('utf8', from, lines.indexOf('\n', from));
  };
  return { html: JSON.parse(line(name)), texts: line(`${name}/${language}`) };
}

/** memLevel of zlib: with the default the result is half a kilobyte larger. */
const BLOCK_LEVEL = 6;

/** The document in one of its languages, as gzip. */
function inLanguage({ html, texts }: DocumentParts, language: string): Promise<Buffer> {
  const document = html
    .replace('<html lang="en">', `<html lang="${language}" dir="${directionOf(language)}">`)
    // Escaped, so that no text can end the script element that contains it.
    .replace('id="words">[]', () => `id="words">${texts.replaceAll('<', '\\u003c')}`);
  return promisify(gzip)(document, { level: zlib.Z_BEST_COMPRESSION, memLevel: BLOCK_LEVEL });
}

/** Header fields of a request, in lower case. */
type Fields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What answers a request for a document, by its header fields. The document is put together and compressed at its first
 * request in a language, and unpacked at the first one that does not take gzip; all responses share these bytes.
 */
export function documentReplies(built: BuiltDocument): (headers: Fields) => Promise<Reply> {
  const made = new Map<string, Promise<Buffer>>();
  const once = (key: string, make: () => Promise<Buffer>): Promise<Buffer> => {
    const document = made.get(key) ?? make().then(keep);
    made.set(key, document);
    return document;
  };
  const packedIn = (language: string) => once(`${language}.gz`, () => inLanguage(built.parts(language), language));
  const plainIn = (language: string) => once(language, async () => gunzipSync(await packedIn(language)));
  return async (headers) => {
    const compressed = takesGzip(headers['accept-encoding']);
    const language = languageFor(headers['accept-language'], String(headers['cookie'] ?? ''), built.languages);
    const etag = `"${built.etag}-${language}${compressed ? '-gzip' : ''}"`;
    const about = {
      ETag: etag,
      Vary: 'Accept-Encoding, Accept-Language, Cookie',
      'Cache-Control': 'no-cache',
      'Content-Language': language,
      'Content-Security-Policy': built.policy,
    };
    if (takesTag(String(headers['if-none-match'] ?? ''), etag)) return new Reply(304, '', about);
    if (compressed) return new Reply(200, await packedIn(language), { ...about, 'Content-Encoding': 'gzip' });
    return new Reply(200, await plainIn(language), about);
  };
}

/** The route that serves a document. */
export function documentRoute(path: string, summary: string, built: BuiltDocument): Route {
  const replies = documentReplies(built);
  return route({
    method: 'GET',
    path,
    tier: 'none',
    summary,
    type: 'text/html; charset=utf-8',
    handle: ({ request: { headers } }) => replies(headers),
  });
}
