/**
 * "harfbuzzjs shapes": words of every language have the glyphs that Debian's hb-shape(1) gives them, with the face of the
 * pack; and that face, which is a part of the font it is from, sets them as the whole font does.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutlineFace } from '../../../../plugins/printer/drawing/faces.ts';
import { Pack } from '../../../../plugins/printer/drawing/pack.ts';
import { faceRows } from '../../../../runtime/assembly/page/fonts/table.ts';
import { writeFonts } from '../../../../runtime/assembly/page/fonts/write-pack.ts';
import { needTools } from '../../../tools.ts';
import { RIGHT_TO_LEFT, WORDS } from './words.ts';

/** What hb-shape makes of each word: numbers of glyphs, or how far they move the pen and stand beside it. */
function shapedBy(font: string, words: readonly string[], rtl: boolean, ...options: string[]): string[] {
  const direction = `--direction=${rtl ? 'rtl' : 'ltr'}`;
  const fixed = ['--language=und', '--no-glyph-names', '--no-clusters', direction, ...options, font];
  const { stdout, stderr, status } = spawnSync('hb-shape', fixed, { encoding: 'utf8', input: `${words.join('\n')}\n` });
  if (status !== 0) throw new Error(`hb-shape: ${stderr}`);
  return stdout.trim().split('\n');
}

const missing = needTools(['hb-shape']);

describe.skipIf(missing !== undefined)('words have the glyphs of hb-shape', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-shaping-'));
  let pack: Pack;
  beforeAll(() => {
    writeFonts(folder, 'all');
    pack = new Pack(join(folder, 'fonts.pack'));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const outlines = faceRows('all').filter(({ kind }) => kind === 'outline');

  it.each(outlines)('in $name', ({ name, from, font }) => {
    const place = pack.faces.findIndex((face) => face.name === name);
    const bytes = pack.face(place);
    const face = new OutlineFace({ dots: 1, rise: 0 }, bytes);
    const file = join(folder, `${name}.ttf`);
    writeFileSync(file, bytes);
    const words = WORDS[name]!;
    const rtl = RIGHT_TO_LEFT.includes(name);
    const glyphs = words.map((word) => {
      const { glyphs: ours } = face.shape(word, 0, word.length, rtl ? 'rtl' : 'ltr');
      return `[${ours.map(({ id }) => id).join('|')}]`;
    });
    expect(glyphs).toEqual(shapedBy(file, words, rtl, '--no-positions'));
    expect(glyphs.join()).not.toMatch(/\b0\b/);
    const whole = shapedBy(join('node_modules', from, font), words, rtl).map(withoutIds);
    expect(shapedBy(file, words, rtl).map(withoutIds)).toEqual(whole);
  });
});

const withoutIds = (line: string): string => line.replaceAll(/([[|])\d+/g, '$1');
