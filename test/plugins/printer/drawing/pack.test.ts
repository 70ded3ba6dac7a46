/** "OFL faces, subset and packed by the build; which scripts an image carries is a word in the variant's row." */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pack } from '../../../../plugins/printer/drawing/pack.ts';
import { PackTypesetter } from '../../../../plugins/printer/drawing/typesetter.ts';
import { codesOf, faceRows } from '../../../../runtime/assembly/page/fonts/table.ts';
import { writeFonts } from '../../../../runtime/assembly/page/fonts/write-pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tillnode-pack-'));
const path = join(folder, 'fonts.pack');
beforeAll(() => writeFonts(folder, 'all'), 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder for the faces of these scripts. */
function withScripts(scripts: readonly string[]): string {
  const own = mkdtempSync(join(folder, 'of-'));
  writeFonts(own, scripts);
  return own;
}

describe('the faces of all scripts', () => {
  it('take at most 2 MB, and the shaper stands beside them', () => {
    expect(statSync(path).size).toBeLessThanOrEqual(2_000_000);
    expect(readdirSync(folder)).toContain('harfbuzz.wasm');
  });

  it('are the same bytes when they are written again', () => {
    const first = readFileSync(path);
    writeFonts(folder, 'all');
    expect(readFileSync(path).equals(first)).toBe(true);
  });

  it('each can be read alone', () => {
    const pack = new Pack(path);
    expect(pack.faces.map(({ name }) => name)).toEqual(faceRows('all').map(({ name }) => name));
    for (const place of [...pack.faces.keys()].reverse()) expect(pack.face(place).length).toBeGreaterThan(1000);
  });

  it.each([
    ['GB 2312', 'gb18030', [0xb0, 0xf7], [0xa1, 0xfe]],
    ['JIS levels 1 and 2', 'euc-jp', [0xb0, 0xf4], [0xa1, 0xfe]],
    ['Big5 level 1', 'big5', [0xa4, 0xc6], [0xa1, 0xfe]],
    ['KS X 1001', 'euc-kr', [0xb0, 0xc8], [0xa1, 0xfe]],
    ['kana', 'euc-jp', [0xa4, 0xa5], [0xa1, 0xf3]],
  ] as const)('have every character of %s', (_, encoding, [first, last], [from, to]) => {
    const typesetter = new PackTypesetter(new Pack(path));
    const decoder = new TextDecoder(encoding);
    const lacking: string[] = [];
    for (let lead = first; lead <= last; lead += 1)
      for (let trail: number = from; trail <= to; trail += 1) {
        const text = decoder.decode(Uint8Array.of(lead, trail));
        if (!/^[\p{L}\p{N}]$/u.test(text)) continue;
        if (!typesetter.draws(text)) lacking.push(text);
      }
    expect(lacking.join('')).toBe('');
  });

  it('have every currency sign of Unicode that people pay with', () => {
    const typesetter = new PackTypesetter(new Pack(path));
    const lacking = Array.from('$¢£¤¥฿₡₢₣₤₥₦₧₨₩₪₫€₭₮₯₱₲₳₴₵₸₹₺₼₽₾₿').filter((sign) => !typesetter.draws(sign));
    expect(lacking.join('')).toBe('');
  });
});

describe('a pack of some scripts', () => {
  it('has their faces, and the one of digits and signs', () => {
    const pack = new Pack(join(withScripts(['Arab', 'Thai']), 'fonts.pack'));
    expect(pack.faces.map(({ name }) => name)).toEqual(['cells', 'naskh-arabic', 'sans-thai-looped']);
    const typesetter = new PackTypesetter(pack);
    expect(['ش', 'ก', '5', '€'].map((each) => typesetter.draws(each))).toEqual([true, true, true, true]);
    expect(['ש', '你', '한', '😀'].map((each) => typesetter.draws(each))).toEqual([false, false, false, false]);
  });

  it('of none is no file', () => {
    expect(readdirSync(withScripts([]))).toEqual([]);
  });

  it('is refused with one that no face has, and the refusal names those that there are', () => {
    expect(() => faceRows(['Arab', 'Tengwar'])).toThrow(
      'scripts: there is no face for "Tengwar"; there are Arab, Armn,',
    );
    expect(codesOf(faceRows(['Thai']))).toEqual(['Cyrl', 'Grek', 'Latn', 'Thai']);
  });
});

describe('a file', () => {
  const damaged = join(folder, 'damaged.pack');

  it('that is no pack is refused', () => {
    writeFileSync(damaged, 'This is no pack of fonts.');
    expect(() => new Pack(damaged)).toThrow(`${damaged} is not a pack of fonts`);
    expect(() => new Pack(join(folder, 'gone.pack'))).toThrow('ENOENT');
  });

  it('that is cut off says so', () => {
    writeFileSync(damaged, readFileSync(path));
    truncateSync(damaged, 100_000);
    const pack = new Pack(damaged);
    expect(() => pack.face(pack.faces.length - 1)).toThrow(`${damaged} ends too early`);
    truncateSync(damaged, 10);
    expect(() => new Pack(damaged)).toThrow(`${damaged} ends too early`);
  });
});
