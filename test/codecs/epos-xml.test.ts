/** ePOS-Print XML to commands of a node, by Epson's manual and the documents that Odoo and WooCommerce POS send. */
import { describe, expect, it, vi } from 'vitest';
import { type EposCommand, EposError, eposCommands } from '../../codecs/epos-xml.ts';
import { EposRemarks } from '../../codecs/epos-xml-values.ts';
import { readXml } from '../../codecs/xml-tree.ts';

const NAMESPACE = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
const commandsOf = (body: string): EposCommand[] =>
  eposCommands(readXml(`<epos-print xmlns="${NAMESPACE}">${body}</epos-print>`));
const linesOf = (body: string) =>
  commandsOf(body).flatMap((command) => {
    if (command.type !== 'print') throw new Error(`a ${command.type}`);
    return command.lines;
  });
const remarksOf = (body: string): string | undefined => {
  const remarks = new EposRemarks();
  eposCommands(readXml(`<epos-print xmlns="${NAMESPACE}">${body}</epos-print>`), remarks.add);
  return remarks.found.remarks;
};
const text = (value: string, rest = {}) => ({ type: 'text', value, ...rest });

describe('text', () => {
  it('ends its rows with LF alone, and rows of one look are one line', () => {
    expect(linesOf('<text>Tick</text><text>et&#10;2 x Tea&#10;</text><text>\n3</text>')).toEqual([
      text('Ticket\n2 x Tea\n\n3'),
    ]);
  });

  it('looks at each piece of a row a few times, however many there are', () => {
    const match = vi.spyOn(String.prototype, 'matchAll');
    const pieces = 2000;
    linesOf(Array.from({ length: pieces }, (_, at) => `<text x="${12 * at}">Ж</text>`).join(''));
    const looks = match.mock.calls.length;
    match.mockRestore();
    expect(looks).toBeGreaterThanOrEqual(pieces);
    expect(looks).toBeLessThan(5 * pieces);
  });

  it('keeps what an element sets until another one sets it anew', () => {
    const body = [
      '<text lang="en" smooth="true"/><text align="center" dw="true" dh="true" em="1"/><text>SHOP&#10;</text>',
      '<text>Street&#10;</text><text dw="false" dh="0" em="false" ul="true"/><text>a&#10;</text>',
      '<text align="right" ul="false" reverse="true" font="font_b">b&#10;</text><text width="3" height="1">c</text>',
    ];
    expect(linesOf(body.join(''))).toEqual([
      text('SHOP\nStreet', { align: 'center', size: '2x2', bold: true }),
      text('a', { align: 'center', underline: true }),
      text('b', { align: 'right', font: 'b', invert: true }),
      text('c', { align: 'right', font: 'b', invert: true, size: '3x1' }),
    ]);
  });

  it('aligns a row as it was at its beginning', () => {
    expect(linesOf('<text>left </text><text align="right">too&#10;right&#10;</text>')).toEqual([
      text('left too'),
      text('right', { align: 'right' }),
    ]);
  });

  it('prints a row of bold and plain text side by side', () => {
    expect(linesOf('<text em="true">Total</text><text em="false">   </text><text>12.50&#10;</text>')).toEqual([
      { type: 'columns', cells: [{ value: 'Total   ', width: 8, bold: true }, { value: '12.50' }] },
    ]);
  });

  it('prints a row of several looks whole, in the smallest of its sizes and as all of it looks', () => {
    const seat = '<text width="1" height="2">Seat: </text><text width="2" height="2" em="true">A-3&#10;</text>';
    expect(linesOf(`${seat}<text>next&#10;</text>`)).toEqual([
      text('Seat: A-3', { size: '1x2' }),
      text('next', { size: '2x2', bold: true }),
    ]);
    const centred =
      '<text align="center" ul="true">No. </text><text em="true">7</text><text font="font_b">!&#10;</text>';
    expect(linesOf(centred)).toEqual([text('No. 7!', { align: 'center', underline: true })]);
  });

  it('keeps places of a row in dots, whatever the size of its text', () => {
    const total = '<text dw="true">TOTAL</text><text x="264"/><text>$12</text><text dw="false" x="480">*&#10;</text>';
    expect(linesOf(total)).toEqual([text(`TOTAL${' '.repeat(17)}$12${' '.repeat(15)}*`)]);
    expect(linesOf('<text dw="true">TOTAL</text><text x="264"/><text>$12&#10;</text>')).toEqual([
      text(`TOTAL${' '.repeat(6)}$12`, { size: '2x1' }),
    ]);
    expect(linesOf('<text em="true">a</text><text em="false" x="60">b&#10;</text>')).toEqual([
      { type: 'columns', cells: [{ value: 'a', width: 1, bold: true }, { value: '    b' }] },
    ]);
  });

  it('goes to the next tab stop, each 8 columns of Font A, also in a row of several looks', () => {
    expect(linesOf('<text>2&#9;Tea&#9;5.40&#10;</text>')).toEqual([text('2\tTea\t5.40')]);
    expect(linesOf('<text>2&#9;Cappuccino&#9;</text><text em="true">5.40&#10;</text>')).toEqual([
      {
        type: 'columns',
        cells: [
          { value: '2       Cappuccino      ', width: 24 },
          { value: '5.40', bold: true },
        ],
      },
    ]);
    expect(linesOf('<text>a&#9;$6.00</text><text x="384"/><text>$12.00&#10;</text>')).toEqual([
      text(`a       $6.00${' '.repeat(19)}$12.00`),
    ]);
    expect(linesOf('<text dw="true">Order&#9;1&#10;</text>')).toEqual([text('Order   1', { size: '2x1' })]);
  });

  it('has a size where a row of several sizes has no character', () => {
    expect(linesOf('<text width="2"> </text><text width="3"> &#10;</text>')).toEqual([text('  ', { size: '2x1' })]);
  });

  it('counts East Asian characters as two columns', () => {
    expect(linesOf('<text em="true">合計</text><text em="false">1&#10;</text>')).toMatchObject([
      { cells: [{ value: '合計', width: 4 }, { value: '1' }] },
    ]);
  });

  it('begins at a place of its row', () => {
    expect(linesOf('<text>⭐⭐⭐ ℃</text><text x="144">A&#10;</text>')).toEqual([text('⭐⭐⭐ ℃   A')]);
    expect(linesOf('<text>Tea</text><text x="240">2.50&#10;</text>')).toEqual([text(`Tea${' '.repeat(17)}2.50`)]);
  });
});

describe('paper', () => {
  it('feeds from the beginning of the row that it prints', () => {
    expect(linesOf('<text>a</text><feed/><text>b</text><feed line="3"/><feed unit="60"/><feed/>')).toEqual([
      ...[text('a'), text('b'), { type: 'feed', lines: 2 }, { type: 'feed', lines: 2 }, { type: 'feed', lines: 1 }],
    ]);
  });

  it('cuts with a bridge, or wholly where the type says so', () => {
    expect(linesOf('<cut/><cut type="feed"/><cut type="no_feed"/><cut type="feed_fullcut"/>')).toEqual(
      ['partial', 'partial', 'partial', 'full'].map((mode) => ({ type: 'cut', mode })),
    );
  });

  it.each([
    '<layout type="receipt" width="800" height="0" margin-top="0"/>',
    '<layout width="580" margin-top="-15" margin-bottom="1500" offset-cut="-290" offset-label="0"/>',
  ])('takes the layout of a receipt: %s', (layout) => {
    expect(linesOf(`${layout}<text>a</text>`)).toEqual([text('a')]);
  });

  it('reads numbers and truth values with white space around them, as XML Schema has them', () => {
    expect(linesOf('<text em=" true " width="&#10;2 ">a</text>')).toEqual([text('a', { bold: true, size: '2x1' })]);
  });

  it.each(['23', 'default', 'level_m'])('takes the level %s of a symbol whose level the node chooses', (level) => {
    const lines = linesOf(`<symbol type="azteccode_fullrange" level="${level}">a</symbol>`);
    expect(lines).toEqual([{ type: 'barcode', symbology: 'aztec', value: 'a' }]);
  });
});

it('a page is printed, with its rows from its top on', () => {
  const page =
    '<page><area x="0" y="0" width="512" height="300"/><direction dir="left_to_right"/><text em="true">a&#10;</text><feed/><text>b</text></page>';
  expect(linesOf(`${page}<text em="false">c&#10;</text>`)).toEqual([
    text('a', { bold: true }),
    { type: 'feed', lines: 1 },
    text('b', { bold: true }),
    text('c'),
  ]);
});

describe('images', () => {
  const image = (attributes: string, bytes: readonly number[]) =>
    `<image ${attributes}>\n ${Buffer.from(bytes).toString('base64')}\n</image>`;

  it('are rasters where they have a bit a dot, and align what comes behind them', () => {
    expect(
      linesOf(`${image('width="9" height="2" align="center" mode="mono"', [0xff, 0x80, 1, 0])}<text>a</text>`),
    ).toEqual([
      { type: 'raster', width: 9, height: 2, data: '/4ABAA==', align: 'center' },
      text('a', { align: 'center' }),
    ]);
  });

  it('have dots for their shades of grey: 15 is black', () => {
    const [line] = linesOf(image('width="3" height="2" mode="gray16"', [0xff, 0xf0, 0x00, 0x00]));
    expect(line).toEqual({ type: 'raster', width: 3, height: 2, data: Buffer.from([0xe0, 0]).toString('base64') });
  });

  it('of many rows are several', () => {
    const lines = linesOf(
      `${image(
        'width="576" height="5000"',
        Array.from({ length: 72 * 5000 }, () => 7),
      )}<cut/>`,
    );
    expect(lines.map((line) => (line.type === 'raster' ? line.height : line.type))).toEqual([
      ...[1000, 1000, 1000, 1000, 1000, 'cut'],
    ]);
  });
});

describe('symbols', () => {
  it.each([
    [
      '<barcode type="ean13" hri="below" width="3" height="80">4006381333931</barcode>',
      { symbology: 'ean13', hri: 'below' },
    ],
    ['<barcode type="code39">0001&#10;</barcode>', { symbology: 'code39', value: '0001' }],
    ['<barcode type="code128">\n  {BNo. 1 \n</barcode>', { value: 'No. 1 ' }],
    ['<symbol type="qrcode_model_2">a\n</symbol>', { value: 'a\n' }],
    ['<barcode type="jan8">49123456</barcode>', { symbology: 'ean8', hri: 'none' }],
    ['<barcode type="code128">{BNo. {{1}{C\\x0c\\x22</barcode>', { symbology: 'code128', value: 'No. {1}1234' }],
    ['<barcode type="code128_auto">Order\\\\1</barcode>', { symbology: 'code128', value: 'Order\\1' }],
    ['<barcode type="gs1_databar_omnidirectional">0201234567890</barcode>', { value: '(01)02012345678903' }],
    [
      '<symbol type="qrcode_model_2" level="level_h" width="5">https://a.example/?b&amp;c</symbol>',
      { symbology: 'qr', size: 5, errorCorrection: 'h', value: 'https://a.example/?b&c' },
    ],
    [
      '<symbol type="pdf417_standard" level="default" width="2" height="3" size="0">a</symbol>',
      { symbology: 'pdf417', size: 2 },
    ],
    ['<symbol type="datamatrix_square">a</symbol>', { symbology: 'datamatrix' }],
  ])('are read from %s', (body, expected) => {
    expect(linesOf(body)).toMatchObject([{ type: 'barcode', ...expected }]);
  });
});

describe('what is printed otherwise than asked for is told, once', () => {
  const CENTRED = '<text align="center">a</text><text em="true">b&#10;</text>';
  it.each([
    ['<barcode type="gs1_databar_truncated">0201234567890</barcode>', 'type: gs1_databar_truncated is printed as'],
    ['<barcode type="gs1_databar_limited">0201234567890</barcode>', 'type: gs1_databar_limited is printed as'],
    ['<symbol type="gs1_databar_stacked">0201234567890</symbol>', 'type: gs1_databar_stacked is printed as'],
    ['<symbol type="gs1_databar_expanded_stacked">(01)02012345678903(10)A</symbol>', 'in one row'],
    ['<symbol type="pdf417_truncated">a</symbol>', 'pdf417_truncated is printed as pdf417_standard'],
    ['<symbol type="qrcode_model_1">a</symbol>', 'qrcode_model_1 is printed as qrcode_model_2'],
    ['<symbol type="datamatrix_rectangle_12">a</symbol>', 'datamatrix_rectangle_12 is printed as datamatrix_square'],
    ['<cut type="no_feed"/>', 'cut: no_feed'],
    ['<cut type="reserve_fullcut"/>', 'cut: reserve_fullcut'],
    ['<feed unit="15"/>', 'feed: 15 dots'],
    ['<text linespc="50">a</text>', 'linespc: '],
    ['<text color="color_2">a</text>', 'color: color_2'],
    ['<text>small </text><text width="2" height="2">BIG&#10;</text>', 'text: a row of several looks'],
    ['<text reverse="true"> Kitchen </text><text reverse="false">4&#10;</text>', 'text: a row of several looks'],
    [CENTRED + CENTRED.replace('>a', ' em="false">a'), 'text: a row of several looks'],
  ])('%s', (body, words) => {
    const remarks = remarksOf(body);
    expect(remarks).toContain(words);
    expect(remarks).not.toContain('; ');
    expect(remarksOf(body + body)).toBe(remarks);
  });

  it.each([
    '<barcode type="gs1_databar_expanded">(01)02012345678903(10)A</barcode>',
    '<barcode type="gs1_databar_expanded">(01)02012345678903</barcode>',
    '<symbol type="qrcode_model_2">a</symbol><cut type="feed"/><feed unit="60"/><feed line="3"/>',
    '<text lang="en" smooth="true" linespc="30" color="color_1">a</text><text em="true">b&#10;</text>',
  ])('and nothing is told of %s', (body) => {
    expect(remarksOf(body)).toBeUndefined();
  });
});

describe('what is no line', () => {
  it('is a command of its own, in its place', () => {
    const body = '<pulse drawer="drawer_2" time="pulse_300"/><text>a</text><command>1b 40\n41</command><pulse/><cut/>';
    expect(commandsOf(body)).toEqual([
      { type: 'drawer_kick', pin: 5, onMs: 300 },
      { type: 'print', lines: [text('a')] },
      { type: 'raw', data: 'G0BB' },
      { type: 'drawer_kick', pin: 2, onMs: 100 },
      { type: 'print', lines: [{ type: 'cut', mode: 'partial' }] },
    ]);
  });

  const UNPRINTED = 'command: text that no line feed ends is not printed';
  const UNSET = 'command: what it sets does not last into the text behind it';
  it.each([
    ['<text>Row </text><command>414243</command><text> on&#10;</text>', UNPRINTED],
    ['<command>414243</command><cut/>', UNPRINTED],
    ['<command>4142</command><command>43</command>', UNPRINTED],
    ['<command>414243</command><pulse/><text>a</text>', UNPRINTED],
    ['<command>4142430a</command><cut/>', undefined],
    ['<command>414243</command><command>0a</command><text>a</text>', undefined],
    ['<command>1b4501</command><text>a</text>', UNSET],
    ['<command>1b450141</command><text em="true">a</text><text em="false">b</text>', `${UNPRINTED}; ${UNSET}`],
    ['<command>1b2d02</command><text>a</text>', UNSET],
    ['<command>1d2111</command><cut/>', undefined],
    ['<command>1b4501410a1b4500</command><text>a</text>', undefined],
    ['<command>1b4501410a1b40</command><text>a</text>', undefined],
    ['<command>1b700019fa</command><text>a</text>', undefined],
  ])('tells what the next print command ends of it: %s', (body, remarks) => {
    expect(remarksOf(body)).toBe(remarks);
  });
});

describe('what a node cannot do is refused by its name', () => {
  it.each([
    ['<page><area x="0" y="9" width="1" height="1"/></page>', 'area: another one'],
    ['<page><direction dir="top_to_bottom"/></page>', 'direction: dir: '],
    ['<page><position x="1" y="1"/></page>', 'position: '],
    ['<page><rectangle x1="0" y1="0" x2="9" y2="9"/></page>', 'rectangle: '],
    ['<page><page/></page>', 'page: is not known here'],
    ['<area x="0"/>', 'area: is not known here'],
    ['<logo key1="48" key2="48"/>', 'logo: '],
    ['<sound pattern="pattern_a"/>', 'sound: '],
    ['<constructor/>', 'constructor: '],
    ['<text xmlns="">a</text>', 'text: has no namespace'],
    ['<text rotate="true">a</text>', 'text: rotate: '],
    ['<text width="9">a</text>', 'text: width: "9" is not a whole number from 1 to 8'],
    ['<text em="yes">a</text>', 'text: em: '],
    ['<text colour="color_1">a</text>', 'text: colour: is not known here'],
    ['<text color="none">a</text>', 'text: color: '],
    ['<text>a<feed/></text>', 'text: has the element feed in it'],
    ['loose', 'epos-print: has text outside'],
    ['<feed pos="peeling"/>', 'feed: pos: '],
    ['<layout type="label"/>', 'layout: type: '],
    ['<layout type="receipt" margin-top="abc"/>', 'layout: margin-top: "abc" is not a whole number'],
    ['<layout type="receipt" offset-cut=""/>', 'layout: offset-cut: '],
    ['<barcode type="code39" font="banana">1</barcode>', 'barcode: font: '],
    ['<symbol type="datamatrix_square" level="banana">1</symbol>', 'symbol: level: '],
    ['<symbol type="azteccode_compact" level="101">1</symbol>', 'symbol: level: '],
    ['<image width="8" height="1" mode="mono">AAAA</image>', 'image: 8 by 1 dots take 1 bytes, not 3'],
    ['<image width="8" height="1">%</image>', 'image: its data are not base64'],
    ['<image width="8">AA==</image>', 'image: needs width and height'],
    ['<barcode type="code11">1</barcode>', 'barcode: type: '],
    ['<barcode type="itf"/>', 'barcode: has no data'],
    ['<barcode type="code128">{B{1</barcode>', 'barcode: {1 of Code 128'],
    ['<barcode type="code128">{C</barcode>', 'barcode: has no data'],
    ['<symbol type="maxicode_mode_4">1</symbol>', 'symbol: type: '],
    ['<cut type="half"/>', 'cut: type: '],
    ['<pulse time="pulse_600"/>', 'pulse: time: '],
    ['<command>1b4</command>', 'command: '],
  ])('%s', (body, message) => {
    expect(() => commandsOf(`<text>before</text>${'<feed/>'}${body}`)).toThrow(message);
    expect(() => commandsOf(body)).toThrow(EposError);
  });

  it.each(['feed', 'cut', 'pulse', 'layout', 'area', 'direction'])(
    'and so is what stands in a %s, which is empty',
    (name) => {
      const within = (content: string) => () => commandsOf(`<page><${name}>${content}</${name}></page>`);
      expect(within(' \n ')).not.toThrow();
      expect(within('lost')).toThrow(`${name}: has text in it`);
      expect(within('<text>lost</text>')).toThrow(`${name}: has the element text in it`);
    },
  );

  it.each(['text', 'image', 'barcode', 'symbol', 'command'])(
    'and so is an element in a %s, which has text alone',
    (name) => {
      const attributes = { image: 'width="8" height="1"', barcode: 'type="itf"', symbol: 'type="qrcode_model_2"' };
      const { [name as 'image']: needed = '' } = attributes;
      expect(() => commandsOf(`<${name} ${needed}><text>lost</text></${name}>`)).toThrow(
        `${name}: has the element text in it`,
      );
    },
  );

  it('and so is text in a page, which has elements alone', () => {
    expect(() => commandsOf('<page>\n<text>a</text> lost</page>')).toThrow('page: has text outside of its elements');
  });

  it('and so is text of more than any paper', () => {
    const text = `<text>${'a'.repeat(128_001)}</text>`;
    expect(commandsOf(text)).toHaveLength(1);
    expect(() => commandsOf(text + text)).toThrow('text: is over');
  });

  it('and so is a document that is none', () => {
    expect(() => eposCommands(readXml('<epos-print><text>a</text></epos-print>'))).toThrow(
      'epos-print: has no namespace',
    );
    expect(() => eposCommands(readXml('<s:Envelope xmlns:s="u"/>'))).toThrow('s:Envelope: is no epos-print');
  });
});
