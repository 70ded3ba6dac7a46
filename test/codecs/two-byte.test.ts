/** Text that only a printer's font of two bytes a character has: its tables, and how the encoder sends it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../codecs/escpos.ts';
import { EscposEncoder } from '../../codecs/escpos-encoder.ts';
import { type TwoByteSet, twoByteTable } from '../../codecs/two-byte.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { render } from '../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../plugins/printer/layout/shaped/shaped-text.ts';
import { FilteredPrinter } from './filtered.ts';

const hex = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/..(?!$)/g, '$& ');
const SETS: readonly TwoByteSet[] = ['gb18030', 'shift_jis', 'big5', 'ks'];
const LABELS = { gb18030: 'gb18030', shift_jis: 'shift_jis', big5: 'big5', ks: 'euc-kr' } as const;

const rendered = (lines: readonly Line[], options: Partial<EscposOptions>) => {
  const job = render(lines, { columns: 48, cutClearanceLines: 0 }, resolveOptions(options), new ShapedText());
  if (!job.ok) throw new Error(job.detail);
  return job;
};
const printed = (value: string, twoByte: TwoByteSet, style: object = {}) =>
  rendered([{ type: 'text', value, ...style }], { codePages: 'epson-legacy', twoByte });
/** What follows the head of the job. */
const body = (value: string, twoByte: TwoByteSet, style: object = {}) =>
  hex(printed(value, twoByte, style).bytes).split('1b 74 10 ')[1];

describe('the table of', () => {
  it.each([
    ['gb18030', '你', 0xc4e3],
    ['gb18030', '镕', 0xe946],
    ['shift_jis', '日', 0x93fa],
    ['shift_jis', 'カ', 0x834a],
    ['shift_jis', '表', 0x955c],
    ['big5', '灣', 0xc657],
    ['big5', '兀', 0xa461],
    ['ks', '한', 0xc7d1],
  ] as const)('%s has %s as the standard has it', (set, char, code) => {
    expect(twoByteTable(set)[char.charCodeAt(0)]).toBe(code);
  });

  it.each(SETS)('%s gives codes that its decoder reads as the same characters', (set) => {
    const decoder = new TextDecoder(LABELS[set]);
    const wrong = [...twoByteTable(set).entries()].filter(
      ([code, bytes]) =>
        bytes !== 0 && decoder.decode(Uint8Array.of(bytes >> 8, bytes & 0xff)) !== String.fromCharCode(code),
    );
    expect(wrong).toEqual([]);
  });

  it.each(SETS)('%s has no byte that begins a command, nor any ASCII', (set) => {
    const codes = [...twoByteTable(set)].filter((code) => code !== 0);
    expect(codes.length).toBeGreaterThan(6_000);
    expect(Math.min(...codes.map((code) => code >> 8))).toBeGreaterThan(0x80);
    expect(Math.min(...codes.map((code) => code & 0xff))).toBeGreaterThanOrEqual(0x40);
    expect([...twoByteTable(set).subarray(0, 0x80)].some((code) => code !== 0)).toBe(false);
  });

  it.each([
    ['private characters', '\ue5e5'],
    ['characters of four bytes', '㐀'],
    ['the replacement character', '\ufffd'],
    ['what later editions moved out of the private area', 'ḿ'],
    ['what later editions moved there for vertical text', '︐'],
  ])('GB 18030 lacks %s', (_, char) => {
    expect(twoByteTable('gb18030')[char.charCodeAt(0)]).toBe(0);
  });
});

describe('a set', () => {
  it('of Korea has the 2,350 syllables of KS X 1001, and not those that Microsoft added', () => {
    const syllables = [...twoByteTable('ks').subarray(0xac00, 0xd7a4)].filter((code) => code !== 0);
    expect(syllables).toHaveLength(2350);
  });

  it('of Japan and of Taiwan has the ideographs of its standard, and no more', () => {
    const ideographs = (set: TwoByteSet) =>
      [...twoByteTable(set).subarray(0x4e00, 0xa000)].filter((code) => code !== 0);
    // 仝 stands among the symbols.
    expect(ideographs('shift_jis')).toHaveLength(6355 + 1);
    // 卄 and nine units of measure stand among the symbols.
    expect(ideographs('big5')).toHaveLength(13_051 + 10);
  });
});

describe('a printer with a two-byte font', () => {
  it('gets what no code page has in two-byte mode, one run at a time', () => {
    expect(body('a你好b界', 'gb18030')).toBe('61 1c 26 c4 e3 ba c3 1c 2e 62 1c 26 bd e7 1c 2e 0a');
    expect(body('台灣', 'big5')).toBe('1c 26 a5 78 c6 57 1c 2e 0a');
    expect(body('한국', 'ks')).toBe('1c 26 c7 d1 b1 b9 1c 2e 0a');
  });

  it('gets Shift_JIS selected in Japan, and JIS again after it, in which no byte above 7F is half a character', () => {
    expect(body('日本', 'shift_jis')).toBe('1c 43 01 1c 26 93 fa 96 7b 1c 2e 1c 43 00 0a');
  });

  it('is out of two-byte mode at the beginning of a job', () => {
    expect(hex(printed('a', 'gb18030').bytes)).toMatch(/^1b 40 1c 2e 1b 52 00 1b 74 10 61 0a$/);
    expect(hex(printed('a', 'shift_jis').bytes)).toMatch(/^1b 40 1c 2e 1c 43 00 1b 52 00/);
  });

  it('gets what a code page has from there, in one byte', () => {
    expect(body('é Я', 'gb18030')).toBe('e9 20 1b 74 11 9f 0a');
    expect(body('−你', 'gb18030')).toBe('2d 1c 26 c4 e3 1c 2e 0a');
  });

  it('gets the double vertical line of Japan, which WHATWG reads as another one', () => {
    expect(body('‖', 'shift_jis')).toBe('1c 43 01 1c 26 81 61 1c 2e 1c 43 00 0a');
  });

  it('gets ideographic spaces as it has them', () => {
    expect(body('你\u3000好', 'gb18030')).toBe('1c 26 c4 e3 a1 a1 ba c3 1c 2e 0a');
  });

  it('gets no letter of an alphabet at double width, but signs', () => {
    expect(body('①ǎ', 'gb18030')).toMatch(/^1c 26 a2 d9 1c 2e 1b 2a 21 0c 00 /);
    expect(printed('ɡ', 'gb18030')).toMatchObject({ substituted: 1 });
  });

  it('gets the wave dash of Japanese keyboards by the code that both forms share', () => {
    expect(body('〜～', 'shift_jis')).toBe('1c 43 01 1c 26 81 60 81 60 1c 2e 1c 43 00 0a');
  });

  it('gets a question mark for what no font has, and it is counted', () => {
    expect(printed('你한好😀', 'gb18030').substituted).toBe(2);
    expect(body('你한好', 'gb18030')).toBe('1c 26 c4 e3 1c 2e 3f 1c 26 ba c3 1c 2e 0a');
  });

  it('has two-byte characters underlined by a command of their own', () => {
    expect(body('你', 'gb18030', { underline: true })).toBe('1b 2d 01 1c 2d 01 1c 26 c4 e3 1c 2e 0a 1b 2d 00 1c 2d 00');
  });

  it('has them bold, inverted and enlarged by the commands of all characters', () => {
    expect(body('你', 'gb18030', { bold: true, invert: true, size: '2x' })).toBe(
      '1b 45 01 1d 42 01 1d 21 11 1c 26 c4 e3 1c 2e 0a 1d 21 00 1d 42 00 1b 45 00',
    );
  });

  it('gets no two-byte command where its recipe names no such font', () => {
    const { bytes, substituted } = rendered([{ type: 'text', value: '你好', underline: true }], {});
    expect([...bytes]).not.toContain(0x1c);
    expect(substituted).toBe(2);
  });
});

describe('a job with two-byte text', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'你好日本한국台灣カｶﾞ表能、。「」a p0é\t\n\u0301\u200d\ud83d\u001b\u0010\u0014\u0004'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    ),
    maxLength: 120,
  });
  const options = fc.constantFrom(...SETS);

  it('never leaves the printer in two-byte mode', () => {
    fc.assert(
      fc.property(texts, options, (value, twoByte) => {
        const tail = rendered(
          [
            { type: 'text', value, underline: true },
            { type: 'text', value: 'end' },
          ],
          { twoByte },
        );
        const job = Buffer.from(tail.bytes).toString('latin1');
        // Only the encoder writes FS, so the last of its modes is the one that the job ends in.
        expect(job.lastIndexOf('\x1c.')).toBeGreaterThan(job.lastIndexOf('\x1c&'));
        if (twoByte === 'shift_jis') expect(job.lastIndexOf('\x1cC\0')).toBeGreaterThan(job.lastIndexOf('\x1cC\x01'));
      }),
    );
  });

  it('spells no drawer pulse and no real-time command, whatever the text', () => {
    fc.assert(
      fc.property(texts, options, (value, twoByte) => {
        const job = Buffer.from(rendered([{ type: 'text', value }], { twoByte }).bytes).toString('latin1');
        for (const command of ['\x1bp', '\x10\x14', '\x10\x04', '\x10\x05']) expect(job).not.toContain(command);
      }),
    );
  });

  it('passes the filter of port 9100 and the guard behind it unchanged', () => {
    fc.assert(
      fc.property(texts, options, (value, twoByte) => {
        const { bytes } = rendered([{ type: 'text', value, underline: true }], { twoByte });
        const printer = new FilteredPrinter();
        printer.connect().push(bytes);
        expect(printer.take()).toBe(hex(bytes));
        expect(printer.told).toEqual([]);
      }),
    );
  });

  it('grows its buffer wherever it has to', () => {
    const text = '你好'.repeat(30);
    const written = (expected: number) => {
      const encoder = new EscposEncoder({ make: 'epson', twoByte: 'gb18030' }, 100_000, expected);
      encoder.initHardware();
      encoder.twoByteText(Array.from(text, (char) => twoByteTable('gb18030')[char.charCodeAt(0)]!));
      return hex(encoder.getBuffer());
    };
    const whole = written(90_000);
    for (let expected = 1; expected < 160; expected += 1) expect(written(expected), `${expected} bytes`).toBe(whole);
  });
});
