import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { RENDER_LIMIT, render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import spec from '../../../spec/escpos-jobs.json' with { type: 'json' };

const settings = { columns: 48, cutClearanceLines: 4 };
const PREAMBLE = [0x1b, 0x40, 0x1b, 0x52, 0x00, 0x1b, 0x74, 16];

/** The bytes of the lines, without what every job begins with. */
function bytesOf(lines: Line[], columns = 48, cutClearanceLines = 4, options: Partial<EscposOptions> = {}) {
  const rendered = render(lines, { columns, cutClearanceLines }, resolveOptions(options));
  if (!rendered.ok) throw new Error(rendered.detail);
  expect([...rendered.bytes.subarray(0, PREAMBLE.length)]).toEqual(PREAMBLE);
  return rendered.bytes.subarray(PREAMBLE.length);
}
const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
const ascii = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const refusal = (line: Line, options: Partial<EscposOptions> = {}) => {
  const lines: Line[] = [{ type: 'feed' }, line];
  const rendered = render(lines, { columns: 48, cutClearanceLines: 4 }, resolveOptions(options));
  return rendered.ok ? 'printed' : `${rendered.error} ${rendered.detail}`;
};

describe('a line', () => {
  it.each(spec.lines)('becomes the bytes of its command: $name, $about', ({ line, bytes, cutClearanceLines }) => {
    // A text job of the vectors begins with its own reset, and a bar code may be given without its settings.
    const wanted = bytes.replace(/^1b 40 /, '');
    // A symbol keeps the next job from it by rows of white.
    const white = /(?: 1d 76 30 00 01 00 .. 00(?: 00)+)?$/.source;
    expect(hex(bytesOf([line as Line], 48, cutClearanceLines))).toMatch(
      new RegExp(`(?:^|^1d 68 .*)${wanted}${line.type === 'barcode' ? white : '$'}`),
    );
  });

  it('leaves the printer in plain style, and says nothing of a style that is not asked for', () => {
    const styled: Line = {
      type: 'text',
      value: 'x',
      font: 'b',
      underline: true,
      invert: true,
      align: 'right',
      size: '2x1',
    };
    expect(hex(bytesOf([styled, { type: 'text', value: 'y', bold: false, align: 'left', size: '1x' }]))).toBe(
      '1b 61 02 1b 4d 01 1b 2d 01 1d 42 01 1d 21 10 78 0a 1d 21 00 1d 42 00 1b 2d 00 1b 4d 00 1b 61 00 79 0a',
    );
  });

  it('wraps at the size that is asked for', () => {
    const line: Line = { type: 'text', value: 'abcdef', size: '4x' };
    expect(ascii(bytesOf([line], 16, 4, { maxSize: 4 }))).toBe('\x1d!\x33abcd\nef\n\x1d!\x00');
  });

  it('feeds, and feeds the clearance only where there is no cutter', () => {
    expect(hex(bytesOf([{ type: 'feed' }, { type: 'feed', lines: 255 }]))).toBe('1b 64 01 1b 64 ff');
    expect(hex(bytesOf([{ type: 'cut' }], 48, 3, { cutter: false }))).toBe('1b 64 03');
    expect(hex(bytesOf([{ type: 'cut', mode: 'full' }], 48, 3))).toBe('1b 64 03 1d 56 00');
  });

  it('rules as wide as the line', () => {
    expect(hex(bytesOf([{ type: 'rule', style: 'dashed' }], 16))).toBe(`${'2d '.repeat(16)}0a`);
    expect(hex(bytesOf([{ type: 'rule' }], 16))).toBe(`1b 74 13 ${'c4 '.repeat(16)}0a`);
    expect(hex(bytesOf([{ type: 'rule', style: 'double' }], 16))).toBe(`1b 74 13 ${'cd '.repeat(16)}0a`);
  });

  it('switches the real-time pulse off again after the reset, where the printer can', () => {
    expect(hex(bytesOf([{ type: 'feed' }], 48, 4, { realtimePulseDisable: true }))).toBe(
      '1d 28 44 03 00 14 01 00 1b 64 01',
    );
  });
});

describe('a line that cannot be printed names itself:', () => {
  it.each<[string, Line, string]>([
    ['a wrong check digit', { type: 'barcode', symbology: 'ean13', value: '4006381333932' }, 'is 1'],
    ['too much for a QR code', { type: 'barcode', symbology: 'qr', value: 'a'.repeat(3000) }, '2331'],
    ['a module size pdf417 has not', { type: 'barcode', symbology: 'pdf417', value: 'x', size: 9 }, '2 to 8'],
    ['a real-time command', { type: 'barcode', symbology: 'qr', value: '\u0010\u0014\u0001\u0000\u0001' }, 'DLE DC4'],
    ['a real-time command in bars', { type: 'barcode', symbology: 'code128', value: '\u0010\u0014\u0001' }, 'DLE DC4'],
    ['a drawer kick', { type: 'barcode', symbology: 'qr', value: 'x\u001bp' }, 'ESC p'],
    ['a raster in loose base64', { type: 'raster', width: 8, height: 1, data: '/x==' }, 'base64'],
    ['a raster of another length', { type: 'raster', width: 16, height: 2, data: 'AAAA' }, '4 bytes'],
    ['a size this printer has not', { type: 'text', value: 'x', size: '2x5' }, 'size 2x5 is larger than the 4x'],
    ['a raster wider than the paper', { type: 'raster', width: 584, height: 1, data: 'A'.repeat(97) }, 'base64'],
  ])('%s', (_, line, reason) => {
    const said = refusal(line, { maxSize: 4 });
    expect(said).toMatch(/^invalid_command lines\/1: /);
    expect(said).toContain(reason);
  });
});

describe('a banner', () => {
  it('is a picture no wider than the line, scaled up as far as it fits', () => {
    const size = (value: string, columns = 48) => {
      const bytes = bytesOf([{ type: 'banner', value, align: 'center' }], columns, 4, { columns, dots: columns * 12 });
      expect(hex(bytes)).toMatch(/^1b 61 01 1d 76 30 00 .* 1b 61 00$/);
      return { width: (bytes[7] ?? 0) * 8, height: bytes[9] };
    };
    expect(size('OPEN')).toEqual({ width: 368, height: 128 });
    expect(size('SALE TODAY')).toEqual({ width: 536, height: 90 });
    expect(size('OPEN', 16)).toEqual({ width: 184, height: 80 });
  });

  it('wraps where it would become too small, and counts what it cannot draw', () => {
    const pictures = (value: string) => hex(bytesOf([{ type: 'banner', value }])).match(/1d 76 30 00/g)?.length;
    expect(pictures('a'.repeat(24))).toBe(1);
    expect(pictures('word '.repeat(10))).toBe(2);
    const rendered = render([{ type: 'banner', value: 'a\u0001' }], settings, resolveOptions());
    expect(rendered).toMatchObject({ ok: true, substituted: 1 });
    // Without faces, as in an image that has no script.
    const shaping = new ShapedText();
    expect(render([{ type: 'banner', value: '日' }], settings, resolveOptions(), shaping)).toMatchObject({
      substituted: 1,
    });
  });
});

it('2000 lines of a receipt fit the buffer', () => {
  const line: Line = { type: 'text', value: `Café crème${' '.repeat(31)}12,50 €` };
  const rendered = render(
    Array.from({ length: 2000 }, () => line),
    { columns: 48, cutClearanceLines: 4 },
    resolveOptions(),
  );
  expect(rendered.ok && rendered.bytes.length).toBeLessThan(RENDER_LIMIT);
});
