/** Text as Debian draws it: shaped and ordered by Pango, and by HarfBuzz letter by letter without any shaping. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Bitmap, crop, pieces, read, sharp } from './bitmap.ts';

/** `package:command`, as `needTools` takes them. */
export const DRAWING_TOOLS = ['hb-view', 'pango-view'];

const run = promisify(execFile);
const FACES = resolve('node_modules/@expo-google-fonts');
/** Latin letters, digits and signs. */
export const MONO = 'noto-sans-mono';
/** Width of its letters in ems. */
export const MONO_ADVANCE = 0.6;
/** Dots of an em that is easy to read on paper of 8 dots a millimetre. */
export const LEAST = 22;
export const MOST = 28;
/** Pixels of an em. Large, so that what is made smaller of it is exact. */
export const EM = 52;
/** Two texts are further apart than two parts of one letter. */
const LINE = 3 * EM;
const GAP = EM / 2;
const MARGIN = EM;

/** The file of a face. */
export function faceFile(face: string): string {
  const folder = join(FACES, face, '400Regular');
  const file = readdirSync(folder).find((name) => name.endsWith('.ttf'));
  if (file === undefined) throw new Error(`${folder} has no face`);
  return join(folder, file);
}

const escaped = (text: string) => text.replaceAll('&', '&#38;').replaceAll('<', '&#60;');

async function within<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'drawn-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What makes the libraries find these faces and no others (fonts-conf(5)), until it is removed. */
export function fontsOf(faces: readonly string[]): { readonly env: NodeJS.ProcessEnv; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
  const cache = resolve('.cache/fontconfig');
  mkdirSync(cache, { recursive: true });
  const folders = faces.map((face) => `<dir>${join(FACES, face, '400Regular')}</dir>`).join('');
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, `<fontconfig>${folders}<cachedir>${cache}</cachedir></fontconfig>`);
  return {
    env: { FONTCONFIG_FILE: file, LC_ALL: 'C.UTF-8' },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function each(texts: number, page: Uint8Array): Bitmap[] {
  const found = pieces(read(page), GAP);
  if (found.length !== texts) throw new Error(`${texts} texts were drawn as ${found.length}`);
  return found;
}

/** A text to draw. */
export interface Text {
  readonly text: string;
  readonly underline?: boolean | undefined;
}

const CELL_LETTERS = /[\u0020-\u02ff\u0370-\u052f\u1e00-\u1eff]+/gu;

/**
 * Texts as they should look, by pango-view(1): an em is EM dots, letters of one width are `cell` wide; each is cut to its
 * ink.
 */
export const shaped = (texts: readonly Text[], face: string, cell: number): Promise<Bitmap[]> =>
  within(async (folder) => {
    const [source, target] = [join(folder, 'text'), join(folder, 'page.png')];
    const mono = `<span font_family="${family(MONO)}" font_size="${Math.round((1024 * cell) / MONO_ADVANCE)}">`;
    const lines = texts.map(({ text, underline }) => {
      const marked = escaped(text).replaceAll(CELL_LETTERS, (letters) => `${mono}${letters}</span>`);
      return underline ? `<u>${marked}</u>` : marked;
    });
    // In 1/1024 points, as the sizes of fonts.
    writeFileSync(source, `<span line_height="${LINE * 1024}">${lines.join('\n')}</span>`);
    const options = ['--no-display', '--markup', '--dpi=72', '--hinting=none', `--margin=${MARGIN}`];
    const fonts = fontsOf([face, MONO]);
    await run('pango-view', [...options, `--font=${family(face)} ${EM}`, `--output=${target}`, source], {
      env: { ...process.env, ...fonts.env },
    });
    fonts.remove();
    return each(texts.length, readFileSync(target));
  });

/** `noto-sans-thai` is the family Noto Sans Thai. */
const family = (face: string): string =>
  face
    .split('-')
    .map((word) => (word.length === 2 ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join(' ');

/**
 * Texts as a program draws them that knows of no script, by hb-view(1): one glyph a character, from left to right in the
 * order of the memory. An em is EM dots; cut to their ink.
 */
export const unshaped = (texts: readonly string[], face: string): Promise<Bitmap[]> =>
  within(async (folder) => {
    const [source, target] = [join(folder, 'text'), join(folder, 'page.png')];
    writeFileSync(source, texts.join('\n'));
    const options = ['--shapers=fallback', '--direction=ltr', `--font-size=${EM}`, `--line-space=${LINE}`];
    const page = [`--margin=${MARGIN}`, '--output-format=png', `--output-file=${target}`, `--text-file=${source}`];
    await run('hb-view', [...options, ...page, faceFile(face)]);
    return each(texts.length, readFileSync(target));
  });

/** Rows of dots above the baseline of a character, of the height of its cell. */
const ASCENT = 19 / 24;

/** Characters of one width each in a cell of this size in dots, as a printer has them in its memory, by hb-view(1). */
export const cells = (
  characters: readonly string[],
  face: string,
  width: number,
  height: number,
): Promise<Map<string, Bitmap>> =>
  within(async (folder) => {
    const [source, target] = [join(folder, 'text'), join(folder, 'page.png')];
    writeFileSync(source, characters.join(''));
    const em = face === MONO ? width / MONO_ADVANCE : width;
    const ascent = Math.round(height * ASCENT);
    const options = [`--font-size=${em}`, `--font-extents=${ascent},${height - ascent},0`, '--margin=0'];
    const page = ['--output-format=png', `--output-file=${target}`, `--text-file=${source}`];
    await run('hb-view', [...options, ...page, faceFile(face)]);
    const row = sharp(read(readFileSync(target)));
    return new Map(characters.map((each, index) => [each, crop(row, { x: index * width, y: 0, width, height })]));
  });
