/** The two-byte font of the virtual printer: what the node sends comes out of it, and so does what other programs send. */
import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import { type Part, printerOnBus } from './bench.ts';

const model = (twoByte: EscposOptions['twoByte'], codePages: EscposOptions['codePages'] = 'xprinter') =>
  ({ dots: 384, columns: 32, codePages, twoByte }) as const;
const GB18030 = model('gb18030');

const printer = async (printerModel: ReturnType<typeof model>, ...parts: Part[]) => {
  const on = await printerOnBus({ printerModel });
  await on.write(...parts);
  return on;
};
const paper = async (printerModel: ReturnType<typeof model>, ...parts: Part[]) =>
  (await printer(printerModel, ...parts)).printer.paperText();
const job = (lines: readonly Line[], printerModel: ReturnType<typeof model>): Uint8Array => {
  const made = render(lines, { columns: 32, cutClearanceLines: 0 }, resolveOptions(printerModel), new ShapedText());
  if (!made.ok) throw new Error(made.detail);
  return made.bytes;
};

describe('a text of the node', () => {
  it.each([
    ['gb18030', '你好，世界 a é Я 12 €'],
    ['big5', '台灣 店鋪「歡迎」a é'],
    ['ks', '한국어 영수증 a é'],
    ['shift_jis', '日本語のレシート、表 ポ a é Я'],
  ] as const)('is on the paper as it was written, in %s', async (twoByte, value) => {
    const printerModel = model(twoByte, 'xprinter');
    expect(await paper(printerModel, job([{ type: 'text', value }], printerModel))).toBe(`${value}\n`);
  });

  it('keeps the right edge of its cells', async () => {
    const row = (name: string): Line => ({
      type: 'columns',
      cells: [{ value: name }, { value: '9.50', align: 'right' }],
    });
    const on = await printer(GB18030, job(['牛肉面', 'Tea', '大 size 可乐'].map(row), GB18030));
    expect(on.printer.paperText()).toBe(
      [
        '牛肉面                      9.50',
        'Tea                         9.50',
        '大 size 可乐                9.50',
        '',
      ].join('\n'),
    );
    // To the dot: the price ends where the paper does.
    const ends = [...on.printer.paperSvg().matchAll(/translate\((\d+) \d+\)[^>]*textLength="(\d+)"[^>]*>[^<]*9\.50</g)];
    expect(ends.map(([, x, width]) => Number(x) + Number(width))).toEqual([384, 384, 384]);
  });

  it('is drawn in cells of 24 dots, in its style', async () => {
    const line: Line = { type: 'text', value: '你好', underline: true, bold: true, size: '2x' };
    const on = await printer(GB18030, job([line], GB18030));
    expect(on.printer.paperSvg()).toMatch(
      /scale\(2 2\)"[^>]*textLength="48"[^>]*font-weight="bold" text-decoration="underline">你好</,
    );
  });
});

describe('a printer for China', () => {
  const nihao = [0xc4, 0xe3, 0xba, 0xc3];

  it('pairs bytes from its start, until FS . and again from FS &', async () => {
    expect(await paper(GB18030, nihao, '\n')).toBe('你好\n');
    expect(await paper(GB18030, [0x1c, 0x2e, 0x1b, 0x74, 16], nihao, '\n')).toBe('ÄãºÃ\n');
    expect(await paper(GB18030, [0x1c, 0x2e], 'a', [0x1c, 0x26], nihao, '\n')).toBe('a你好\n');
    expect(await paper(GB18030, [0x1c, 0x2e, 0x1b, 0x40], nihao, '\n')).toBe('你好\n');
  });

  it('has ASCII in two-byte mode, and pairs bytes over the edge of a transfer', async () => {
    const { printer: device, write } = await printer(GB18030, 'a', [0xc4]);
    await write([0xe3], 'b\n');
    expect(device.paperText()).toBe('a你b\n');
  });

  it('shows U+FFFD for half a character', async () => {
    expect(await paper(GB18030, [0xc4], '\nb\n')).toBe('\ufffd\nb\n');
  });

  it('moves a character that does not fit to the next row whole', async () => {
    expect(await paper(GB18030, 'a'.repeat(31), nihao, '\n')).toBe(`${'a'.repeat(31)}\n你好\n`);
  });
});

describe('a printer for Japan', () => {
  it('begins in one-byte mode, reads JIS in two-byte mode, and Shift_JIS once that is selected', async () => {
    const japan = model('shift_jis', 'epson');
    expect(await paper(japan, 'F|\n')).toBe('F|\n');
    expect(await paper(japan, [0x1c, 0x26], 'F|K\\', [0x1c, 0x2e], 'F|\n')).toBe('日本F|\n');
    expect(await paper(japan, [0x1c, 0x43, 1], [0x93, 0xfa, 0x95, 0x5c], 'a\n')).toBe('日表a\n');
  });
});

describe('a printer without a two-byte font', () => {
  it('takes FS & and FS C for nothing', async () => {
    expect(await paper(model('none'), [0x1c, 0x26, 0x1c, 0x43, 1, 0x1b, 0x74, 16, 0xe9], '\n')).toBe('é\n');
  });
});
