/** Commands of ePOS-Print XML for the paper of one printer. */
import { describe, expect, it } from 'vitest';
import { type EposCommand, eposCommands } from '../../codecs/epos-xml.ts';
import { fitted } from '../../codecs/epos-xml-fit.ts';
import { readXml } from '../../codecs/xml-tree.ts';

const NAMESPACE = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
const PAPER = { columns: 48, dots: 576 };
const commandsOf = (body: string): EposCommand[] =>
  eposCommands(readXml(`<epos-print xmlns="${NAMESPACE}">${body}</epos-print>`));
const linesOf = async (body: string, paper = PAPER, letIn = async () => {}) =>
  (await fitted(commandsOf(body), paper, letIn)).flatMap((each) => (each.type === 'print' ? each.lines : []));
/** The rows that the cells of these lines make, bold text in stars. */
const rowsOf = async (body: string, columns: number) =>
  (await linesOf(body, { columns, dots: columns * 12 })).map((line) => {
    if (line.type !== 'columns') return line;
    const taken = line.cells.reduce((sum, { width = 1 }) => sum + width, 0);
    expect(taken).toBeLessThanOrEqual(columns);
    return line.cells
      .map(({ value, bold, width = 0 }) => (bold === true ? `*${value}*` : value).padEnd(width))
      .join('');
  });

it('others are let in before each image that is made as wide as the paper', async () => {
  const [width, height] = [577, 2500];
  const data = Buffer.alloc(Math.ceil(width / 8) * height, 0x55).toString('base64');
  const commands = commandsOf(`<image width="${width}" height="${height}" mode="mono">${data}</image>`);
  let turns = 0;
  const letIn = async () => {
    turns += 1;
  };
  expect(await fitted(commands, { ...PAPER, dots: width }, letIn)).toEqual(commands);
  expect(turns).toBe(0);
  const lines = (await fitted(commands, PAPER, letIn)).flatMap((each) => (each.type === 'print' ? each.lines : []));
  expect(lines.map((line) => line.type === 'raster' && line.width)).toEqual([576, 576, 576]);
  expect(turns).toBe(3);
});

describe('a row of bold and plain text that is longer than the paper', () => {
  it('goes on in the next row, from the left and behind a whole word', async () => {
    const article = '<text>Cappuccino with oat milk, large    </text><text em="true">5.40&#10;</text>';
    expect(await rowsOf(article, 32)).toEqual(['Cappuccino with oat milk, large', '*5.40*']);
    expect(await rowsOf(article, 48)).toEqual(['Cappuccino with oat milk, large    *5.40*']);
    expect(
      await rowsOf(`<text>${'word '.repeat(9)}</text><text em="true">${'bold '.repeat(6)}&#10;</text>`, 48),
    ).toEqual([`${'word '.repeat(9).trimEnd()}`, `*${'bold '.repeat(6).trimEnd()}*`]);
  });

  it('is divided inside a word that is longer than the paper', async () => {
    expect(await rowsOf(`<text>${'n'.repeat(50)}</text><text em="true">TOTAL 5&#10;</text>`, 48)).toEqual([
      'n'.repeat(48),
      'nn*TOTAL 5*',
    ]);
    expect(await rowsOf(`<text>${'n'.repeat(48)}</text><text em="true">B&#10;</text>`, 48)).toEqual([
      'n'.repeat(48),
      '*B*',
    ]);
  });

  it('counts East Asian characters and emoji as two columns, and marks as none', async () => {
    expect(await rowsOf(`<text em="true">${'合'.repeat(17)}</text><text em="false">1&#10;</text>`, 32)).toEqual([
      `*${'合'.repeat(16)}*`,
      '*合*1',
    ]);
    const latte = '<text>☕☕ Latte macchiato </text><text em="true">5.40&#10;</text>';
    expect(await linesOf(latte)).toMatchObject([
      { cells: [{ value: '☕☕ Latte macchiato ', width: 21 }, { bold: true }] },
    ]);
    const names = ['oﬃce', 'Caﬀe ﬁltro', 'Շոկոլադե', 'ﬓﬖ'];
    const widths = names.map(async (name) => {
      const [line] = await linesOf(`<text>${name} 1 </text><text em="true">5.40&#10;</text>`);
      return line?.type === 'columns' ? line.cells[0]?.width : undefined;
    });
    expect(await Promise.all(widths)).toEqual([8, 15, 15, 10]);
    // Rows of letters that take a column and a half are of whole columns.
    expect(await rowsOf(`<text>${'ყავა '.repeat(6)}</text><text em="true">1&#10;</text>`, 32)).toEqual([
      'ყავა ყავა ყავა ყავა',
      'ყავა ყავა     *1*',
    ]);
    // What stands at a place behind words that are drawn is there, or behind their room.
    const placed = '<text>გამარჯობა ყავა</text><text x="240">5.40</text>';
    expect(await linesOf(`${placed}<text>&#10;</text>`)).toMatchObject([
      { value: `გამარჯობა ყავა${' '.repeat(6)}5.40` },
    ]);
    expect(await linesOf(`${placed}<text em="true"> 6&#10;</text>`)).toMatchObject([
      { cells: [{ value: `გამარჯობა ყავა${' '.repeat(6)}5.40`, width: 31 }, { value: ' 6' }] },
    ]);
    expect(await linesOf('<text>ყავა</text><text x="120" em="true">5.40&#10;</text>')).toMatchObject([
      { cells: [{ value: 'ყავა', width: 6 }, { value: '    5.40' }] },
    ]);
    const family = '👨‍👩‍👧‍👦';
    expect(await rowsOf(`<text>${family.repeat(17)}</text><text em="true">1&#10;</text>`, 32)).toEqual([
      family.repeat(16),
      `${family}*1*`,
    ]);
    const marked = 'e\u0301'.repeat(31);
    expect(await rowsOf(`<text>${marked}</text><text em="true">1&#10;</text>`, 32)).toEqual([`${marked}*1*`]);
  });
});
