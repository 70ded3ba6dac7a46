/** The document in one language, put together and compressed at its first request. */
import { promisify } from 'node:util';
import { gunzipSync, gzip, constants as zlib } from 'node:zlib';
import { page } from 'virtual:page';

/** memLevel of zlib: with the default the result is half a kilobyte larger. */
const BLOCK_LEVEL = 6;
const compress = promisify(gzip);

const unpacked = (data: string): string => gunzipSync(Buffer.from(data, 'base64')).toString();

/** The documents that were requested so far, by language. */
const made = new Map<string, Promise<Buffer>>();

/** The document in one of the page's languages, as gzip. */
export function documentIn(language: string): Promise<Buffer> {
  let document = made.get(language);
  if (document === undefined) {
    const words = JSON.stringify((JSON.parse(unpacked(page.words)) as Record<string, unknown>)[language]);
    const html = unpacked(page.html)
      .replace('<html lang="en">', `<html lang="${language}">`)
      // Escaped, so that no text can end the script element that contains it.
      .replace('id="words">[]', () => `id="words">${words.replaceAll('<', '\\u003c')}`);
    document = compress(html, { level: zlib.Z_BEST_COMPRESSION, memLevel: BLOCK_LEVEL });
    made.set(language, document);
  }
  return document;
}
