import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../codecs/base64.ts';
import { blockLetter, drawBlockLetters, inlineGlyph } from '../../codecs/block-letters.ts';
import { EscposEncoder } from '../../codecs/escpos-encoder.ts';
import { harmless, nudged, rasterFault, realtimeCommandAt, withoutPadding } from '../../codecs/raster.ts';

const job = (width: number, height: number, data: Uint8Array, rows: number) => {
  const encoder = new EscposEncoder({ make: 'epson' }, 1 << 20, 64);
  encoder.raster({ width, height, data }, rows);
  return encoder.getBuffer();
};

describe('a raster', () => {
  it('is printed in strips that together hold every row once', () => {
    const data = Uint8Array.from({ length: 72 * 300 }, (_, index) => (index * 7) % 251);
    const bytes = job(576, 300, data, 128);
    const strips: number[][] = [];
    const joined: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const [gs, v, zero, m, xL = 0, xH = 0, yL = 0, yH = 0] = bytes.subarray(at, at + 8);
      expect([gs, v, zero, m]).toEqual([0x1d, 0x76, 0x30, 0]);
      const [x, y] = [xL + 256 * xH, yL + 256 * yH];
      strips.push([x, y]);
      joined.push(...bytes.subarray(at + 8, at + 8 + x * y));
      at += 8 + x * y;
    }
    expect(strips).toEqual([
      [72, 128],
      [72, 128],
      [72, 44],
    ]);
    expect(joined).toEqual([...data]);
  });

  it('has as many bytes as its size takes, and fits the printer', () => {
    const data = new Uint8Array(4);
    expect(rasterFault({ width: 9, height: 2, data }, 576)).toBeUndefined();
    expect(rasterFault({ width: 17, height: 2, data }, 576)).toContain('takes 6 bytes, not 4');
    expect(rasterFault({ width: 577, height: 1, data: new Uint8Array(73) }, 576)).toContain('wider than the 576');
  });

  it.each([1, 2, 8])('loses a dot rather than be DLE DC4 %i to the printer', (n) => {
    const data = Uint8Array.of(0x10, 0x10, 0x14, n, 0, 1, 0x10, 0x14, n, 0xff);
    expect([...harmless(data)]).toEqual([0x10, 0x10, 0x14, 0, 0, 1, 0x10, 0x14, 0, 0xff]);
    expect(realtimeCommandAt(job(80, 1, data, 8))).toBe(-1);
  });

  it('is white behind its width, whatever pads its rows', () => {
    const padded = { width: 11, height: 2, data: Uint8Array.of(0xff, 0xff, 0, 0x1f) };
    expect(withoutPadding(padded).data).toEqual(Uint8Array.of(0xff, 0xe0, 0, 0));
    for (const whole of [
      { ...padded, width: 16 },
      { ...padded, data: Uint8Array.of(0xff, 0xe0, 0, 0) },
    ])
      expect(withoutPadding(whole)).toBe(whole);
  });

  it('is left as it is where there is nothing to fear', () => {
    const data = Uint8Array.of(0x10, 0x14, 3, 0x10, 0x04, 0x14, 1);
    expect(harmless(data)).toBe(data);
  });
});

describe('a picture of the node', () => {
  it.each([
    ['ESC p', [0x1b, 0x70], [0x1b, 0xf0]],
    ['DLE EOT', [0x10, 0x04], [0x10, 0x84]],
    ['DLE ENQ', [0x10, 0x05], [0x10, 0x85]],
    ['DLE DC4', [0x10, 0x14], [0x10, 0x94]],
    ['ESC as its last byte', [0x1b], [0x9b]],
    ['DLE as its last byte', [0x10], [0x90]],
  ])('gets one more dot where it would spell %s', (_, spelled, wanted) => {
    expect([...nudged(Uint8Array.of(0x1b, 0x10, 0x00, ...spelled))]).toEqual([0x1b, 0x10, 0x00, ...wanted]);
  });

  it('is left as it is elsewhere', () => {
    const dots = Uint8Array.of(0x10, 0x11, 0x1b, 0x1b, 0x71, 0x04, 0x70);
    expect(nudged(dots)).toBe(dots);
  });
});

describe('block letters', () => {
  it('are drawn for ASCII, for letters with accents, for Greek and Cyrillic', () => {
    const wanted = `${String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 32 + at))}ÀÉîõÜåçŐąŁßØж Яйї Ωςά €`;
    expect([...wanted].filter((char) => blockLetter(char) === undefined)).toEqual([]);
  });

  it('differ from letter to letter', () => {
    const drawings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÄÅÁÀ'].map((char) => String(blockLetter(char)));
    expect(new Set(drawings).size).toBe(drawings.length);
  });

  it('are counted where they are missing', () => {
    expect(drawBlockLetters('A日B😀', 2).missing).toBe(2);
  });

  it('fill a bitmap of their size', () => {
    const { width, height, data } = drawBlockLetters('OPEN', 3).bitmap;
    expect([width, height]).toEqual([69, 30]);
    expect(rasterFault({ width, height, data }, 576)).toBeUndefined();
    expect(data.some((byte) => byte !== 0)).toBe(true);
  });

  it('stand in the line as wide as a character, and never hold a real-time command', () => {
    for (const width of [9, 12, 18, 24, 96]) {
      for (const char of '€→✓Жłą') {
        const image = inlineGlyph(char, width);
        expect(image).toHaveLength(width * 3);
        expect(image?.includes(0x10)).toBe(false);
      }
    }
  });
});

describe('base64', () => {
  it('is read in its canonical form', () => {
    expect(decodeBase64('')).toHaveLength(0);
    expect([...(decodeBase64('AP8Q') ?? [])]).toEqual([0, 255, 16]);
    expect([...(decodeBase64('+/8=') ?? [])]).toEqual([0xfb, 0xff]);
  });

  it.each(['AP8', 'AP8QA', 'A===', 'AB==', 'AAB=', 'AP8Q\n', ' AP8Q', '-_8=', 'AP8Q=', 'é'])('refuses %j', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});
