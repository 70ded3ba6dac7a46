/** Writes fonts.pack: the faces of the table, subset or drawn as dots, each compressed for itself. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import * as harfbuzz from 'harfbuzzjs';
import { pairsOf } from '../../../../plugins/printer/drawing/code-points.ts';
import { DOTS_HEIGHT, OutlineFace, STRIPS, visibleOf } from '../../../../plugins/printer/drawing/faces.ts';
import { blacken } from '../../../../plugins/printer/drawing/hint.ts';
import { type FaceEntry, MAGIC, type PackIndex } from '../../../../plugins/printer/drawing/pack.ts';
import { coverageOf, fill } from '../../../../plugins/printer/drawing/scan-line.ts';
import { CELL } from '../../../../plugins/printer/layout/typesetter.ts';
import { replaceFileNow } from '../../../base/durable.ts';
import type { Licenses } from '../../licenses/licenses.ts';
import { emojiSequences } from './emoji.ts';
import { subset } from './subset.ts';
import { EMOJI, type FaceRow, faceRows, type Scripts } from './table.ts';

const CACHE = '.cache/fonts';
/** What a face is made by, besides its font and its row: where one of these files changes, all are made anew. */
const SOURCES = [
  ...['code-points', 'faces', 'hint', 'scan-line'].map((name) => `plugins/printer/drawing/${name}.ts`),
  ...['emoji', 'subset', 'write-pack'].map((name) => `runtime/assembly/page/fonts/${name}.ts`),
];

const PACK = 'fonts.pack';
/** HarfBuzz, as harfbuzzjs loads it from beside the code that imports it. */
const SHAPER = 'harfbuzz.wasm';
/** Files that an image has besides, where it draws scripts. */
export const FONTS = [PACK, SHAPER];

/**
 * Writes what draws these scripts to a folder: fonts.pack and the shaper; nothing where there are none. The same sources
 * make the same bytes. Faces are kept in `.cache/fonts`, as all of them together take some 12 s.
 */
export function writeFonts(directory: string, scripts: Scripts): void {
  const rows = faceRows(scripts);
  if (rows.length === 0) return;
  mkdirSync(CACHE, { recursive: true });
  const made = rows.map(faceOf);
  const index: PackIndex = { faces: made.map(({ entry }) => entry) };
  const compressed = compress(Buffer.from(JSON.stringify(index)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(compressed.length);
  writeWhole(join(directory, PACK), Buffer.concat([MAGIC, length, compressed, ...made.map(({ bytes }) => bytes)]));
  writeWhole(join(directory, SHAPER), readFileSync(`node_modules/harfbuzzjs/dist/${SHAPER}`));
}

/** Adds the licences of the fonts that draw these scripts, and of what their shaper is compiled from. */
export function addFontLicenses(licenses: Licenses, scripts: Scripts): void {
  const rows = faceRows(scripts);
  for (const row of rows) licenses.addPackage(packageOf(row));
  if (rows.length > 0)
    licenses.addNotice(
      `HarfBuzz ${harfbuzz.versionString()}`,
      'MIT-Modern-Variant',
      readFileSync('runtime/assembly/page/fonts/harfbuzz-license.txt', 'utf8'),
    );
}

const packageOf = ({ from }: FaceRow): string => join('node_modules', from);

/** Nodes and other builds use these files meanwhile. */
const writeWhole = (path: string, bytes: Uint8Array) => replaceFileNow(path, bytes, { mode: 0o644, isDurable: false });

interface Face {
  readonly entry: FaceEntry;
  readonly bytes: Uint8Array;
}

/** A quality of 11 saves 3 % and takes three times as long. */
const compress = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 10,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/** The face of a row: as it was kept, or made. */
function faceOf(row: FaceRow): Face {
  const font = readFileSync(join(packageOf(row), row.font));
  const hash = createHash('sha256')
    .update(font)
    .update(String(row.has))
    .update(JSON.stringify([row, process.versions]));
  for (const source of SOURCES) hash.update(readFileSync(source));
  const path = join(CACHE, `${row.name}-${hash.digest('hex').slice(0, 16)}.json`);
  if (existsSync(path)) {
    const { entry, base64 } = JSON.parse(readFileSync(path, 'utf8')) as { entry: FaceEntry; base64: string };
    return { entry, bytes: Buffer.from(base64, 'base64') };
  }
  const face = makeFace(row, font);
  const base64 = Buffer.from(face.bytes).toString('base64');
  writeWhole(path, Buffer.from(JSON.stringify({ entry: face.entry, base64 })));
  return face;
}

/** HarfBuzz takes its glyph for joiners that have none. */
const SPACE = 0x20;

function makeFace(row: FaceRow, font: Uint8Array): Face {
  const source = new harfbuzz.Face(new harfbuzz.Blob(font));
  const codePoints = [...source.collectUnicodes()]
    .filter((each) => row.has.test(String.fromCodePoint(each)))
    .sort((a, b) => a - b);
  const sequences = row.name === EMOJI ? emojiSequences(codePoints).filter(hasOneGlyph(row, font)) : [];
  const characters = codePoints.map((codePoint) => String.fromCodePoint(codePoint));
  const bytes = compress(
    row.kind === 'outline'
      ? subset(font, [SPACE, ...codePoints])
      : readyGlyphs(row, font, [...characters, ...sequences]),
  );
  const { name, scripts, kind, dots, rise = 0 } = row;
  return {
    entry: {
      ...{ name, scripts, kind, dots, rise, covers: pairsOf(codePoints) },
      sequences: sequences.map(visibleOf),
      bytes: bytes.length,
    },
    bytes,
  };
}

/** Tells of a text whether the font draws it as one. What it has no glyph for is not drawn smaller, but one by one (UTS #51). */
function hasOneGlyph({ rise = 0 }: FaceRow, font: Uint8Array): (text: string) => boolean {
  const face = new OutlineFace({ dots: DOTS_HEIGHT, rise }, font);
  return (text) => {
    const { glyphs } = face.shape(text, 0, text.length, 'ltr');
    return glyphs.filter(({ id }) => face.outline(id).edges.length > 0).length === 1;
  };
}

/** How much of a dot is covered where it is black. A character of 20 strokes has no room for stems of two dots. */
const READY = 0.42;

/** Ready glyphs as `DotsFace` reads them: each text drawn in a box, condensed where it is wider. */
function readyGlyphs({ dots: width, rise = 0 }: FaceRow, font: Uint8Array, texts: readonly string[]): Uint8Array {
  const face = new OutlineFace({ dots: DOTS_HEIGHT, rise }, font);
  const bytes = width * STRIPS;
  const all = new Uint8Array(bytes * texts.length);
  for (const [index, text] of texts.entries()) {
    const { glyphs, advance } = face.shape(text, 0, text.length, 'ltr');
    const scale = Math.min(width / advance, 1);
    const coverage = coverageOf(width, DOTS_HEIGHT);
    for (const { id, x, y } of glyphs)
      fill(coverage, face.outline(id).edges, {
        x: (width - advance * scale) / 2 + x * scale,
        y: CELL.ascent - y * scale,
        scaleX: face.scale * scale,
        scaleY: face.scale * scale,
      });
    for (const [dot, black] of blacken(coverage, READY).entries()) {
      const row = Math.floor(dot / width);
      if (black === 1) all[index * bytes + (row >> 3) * width + (dot % width)]! |= 0x80 >> (row & 7);
    }
  }
  return all;
}
