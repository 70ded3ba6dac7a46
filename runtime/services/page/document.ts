/** The document in one language: put together, and compressed, when somebody asks for it first. */
import { promisify } from 'node:util';
import { gunzipSync, gzip, constants as zlib } from 'node:zlib';
import { page } from 'virtual:page';

/** Blocks of gzip: with those of the default it comes out half a kilobyte larger. */
const BLOCK_LEVEL = 6;
const compress = promisify(gzip);

const unpacked = (data: string): string => gunzipSync(Buffer.from(data, 'base64')).toString();

/** As many as there are languages; a node that nobody looks at holds none. */
const made = new Map<string, Promise<Buffer>>();

/** The document in `language`, which is one of the page's, compressed. */
export function documentIn(language: string): Promise<Buffer> {
  let document = made.get(language);
  if (document === undefined) {
    const words = JSON.stringify((JSON.parse(unpacked(page.words)) as Record<string, unknown>)[language]);
    const html = unpacked(page.html)
      .replace('<html lang="en">', `<html lang="${language}">`)
      // No word ends the element that it stands in.
      .replace('id="words">[]', () => `id="words">${words.replaceAll('<', '\\u003c')}`);
    document = compress(html, { level: zlib.Z_BEST_COMPRESSION, memLevel: BLOCK_LEVEL });
    made.set(language, document);
  }
  return document;
}
