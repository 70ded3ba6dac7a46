import { describe, expect, it } from 'vitest';
import { bytes, type Part, pictured, printed, raster } from './bench.ts';

describe('text on the paper of the virtual printer', () => {
  it.each([
    [0, [0x84, 0xe1, 0xc4], 'äß─'],
    [2, [0xd5, 0xd8], 'ıÏ'],
    [3, [0x84, 0x94], 'ãõ'],
    [4, [0x8d], '‗'],
    [5, [0x9d], 'Ø'],
    [13, [0xa6, 0x98], 'Ğİ'],
    [14, [0x80, 0x98], 'Αα'],
    [15, [0xc1, 0xe1], 'Αα'],
    [16, [0x80, 0xe9, 0x81], '€é\ufffd'],
    [17, [0x8f, 0xe0], 'Пр'],
    [18, [0xa5, 0x88], 'ął'],
    [19, [0xd5], '€'],
    [46, [0xcf, 0xb8], 'Пё'],
    [47, [0xc1, 0xe1], 'Αα'],
  ])('is read in code page %i', async (page, data, text) => {
    expect(await printed([0x1b, 0x74, page], data, '\n')).toBe(`${text}\n`);
  });

  it('is read in a national set, until ESC @ turns both back', async () => {
    expect(await printed([0x1b, 0x52, 2, 0x1b, 0x74, 16], '[\x80]\n', [0x1b, 0x40], '[\x80]\n')).toBe('Ä€Ü\n[Ç]\n');
  });

  it('is laid out by alignment, size and font, and wrapped at the print width', async () => {
    expect(
      await printed([0x1b, 0x61, 1], 'mid\n', [0x1d, 0x21, 0x10], 'wide\n', [0x1b, 0x61, 2, 0x1d, 0x21, 0], 'r\n'),
    ).toBe(`${' '.repeat(23)}mid\n${' '.repeat(20)}wide\n${' '.repeat(47)}r\n`);
    expect(await printed('a'.repeat(50), '\n')).toBe(`${'a'.repeat(48)}\naa\n`);
    expect(await printed([0x1b, 0x4d, 1], 'b'.repeat(65), '\n')).toBe(`${'b'.repeat(64)}\nb\n`);
    expect(await printed([0x1d, 0x21, 0x77], 'c'.repeat(7), '\n')).toBe('cccccc\nc\n');
  });

  it('takes an alignment only at the beginning of a line', async () => {
    expect(await printed('left', [0x1b, 0x61, 1], '\nleft too\n')).toBe('left\nleft too\n');
  });

  it('is not there before its line is ended, and is lost when ESC @ comes first', async () => {
    expect(await printed('lost', [0x1b, 0x40], 'never ended')).toBe('');
  });

  it('stands at tab stops, after feeds and between cuts', async () => {
    expect(await printed('a\tb\n', [0x1b, 0x44, 4, 0], 'c\td\n')).toBe('a       b\nc   d\n');
    expect(await printed('one', [0x1b, 0x64, 3], 'two\n\n', [0x1d, 0x56, 0x42, 0], 'next\n', [0x1d, 0x56, 0])).toMatch(
      /^one\n\n\ntwo\n\n✂ (- )+-\nnext\n✂ -+\n$/,
    );
  });
});

describe('text of a program that went back on its line', () => {
  const to = (x: number) => [0x1b, 0x24, x & 0xff, x >> 8];
  it.each<[string, Part[], string]>([
    ['into the cells of a frame', ['|          |    |', ...[to(12), 'Tea', to(144), '3,20']], '|Tea       |3,20|'],
    ['into the middle of a cell, half a column off', ['|           |   |', ...[to(54), 'ITEM']], '|    ITEM   |   |'],
    ['with a name behind its price', [to(240), '3,20', to(0), 'Tea with milk'], 'Tea with milk       3,20'],
    ['by ESC \\', ['|     |', [0x1b, 0x5c, 0xb8, 0xff], 'Tea'], '|Tea  |'],
    ['to write it darker', ['Tea', to(0), 'Tea'], 'TeaTea'],
  ])('stands where it is read: %s', async (_, parts, text) => {
    expect(await printed(...parts, '\n')).toBe(`${text}\n`);
  });
});

describe('the paper of the virtual printer', () => {
  it('gives a picture without ink as the room that it takes', async () => {
    const blank = (dots: number) => [[0x1b, 0x2a, 33, dots, 0], new Uint8Array(3 * dots)] as const;
    expect(await printed('<', ...blank(4), '> ', ...blank(24), '<\n')).toBe('<>   <\n');
  });

  it('shows narrow rasters in half blocks, names wide ones, and joins strips', async () => {
    expect(await printed(raster(1, bytes([0xc0, 0x81, 0x01])))).toBe('█▀     ▄\n       ▀\n');
    const strip = raster(72, new Uint8Array(72 * 24).fill(1));
    expect(await printed(strip, strip, strip)).toBe('[raster 576x72]\n');
    const white = raster(72, new Uint8Array(72 * 24));
    expect(await printed('a\n', white, white, white, 'b\n')).toBe('a\n\n\nb\n');
  });

  it('prints stored graphics by dots, and columns in a line', async () => {
    const store = [0x1d, 0x28, 0x4c, 12, 0, 0x30, 0x70, 0x30, 1, 1, 0x31, 3, 0, 2, 0, 0xff, 0x40];
    expect(await printed(store, [0x1d, 0x28, 0x4c, 2, 0, 0x30, 0x32])).toBe('▀█▀\n');
    expect(await printed('<', [0x1b, 0x2a, 33, 2, 0], new Uint8Array(6).fill(1), '>\n')).toBe('<[image 2x24]>\n');
  });
});

describe('the picture of the paper', () => {
  it('carries styles, escapes text and is well-formed', async () => {
    const svg = await pictured(
      ...[
        [0x1b, 0x45, 1],
        'bold & <b> "q"\n',
        [0x1b, 0x45, 0, 0x1b, 0x2d, 1],
        'under\n',
        [0x1b, 0x2d, 0, 0x1d, 0x42, 1],
      ],
      ...['white\n', [0x1d, 0x42, 0, 0x1d, 0x21, 0x12], 'big\n', raster(1, bytes([0xf0])), [0x1d, 0x56, 0]],
    );
    expect(svg).toMatch(/font-weight="bold">bold &amp; &lt;b&gt; &quot;q&quot;<\/text>/);
    expect(svg).toMatch(/text-decoration="underline">under</);
    expect(svg).toMatch(/<rect [^>]*\/><text [^>]*fill="#fff">white</);
    expect(svg).toMatch(/scale\(2 3\)"[^>]*>big</);
    expect(svg).toContain('d="M0 0.5h4"');
    const open: string[] = [];
    for (const [, close, name, , empty] of svg.matchAll(/<(\/?)([a-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g)) {
      if (close) expect(open.pop()).toBe(name);
      else if (!empty) open.push(name!);
    }
    expect(open).toEqual([]);
    expect(svg.replaceAll(/<(\/?)([a-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g, '')).not.toMatch(/[<>]/);
  });
});
