/** Text of ePOS-Print XML at places of its row. */
import { describe, expect, it } from 'vitest';
import { type EposCommand, eposCommands } from '../../codecs/epos-xml.ts';
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

describe('text at a place that its row has passed', () => {
  const PASSED = 'x: text at a place behind the end of its row is printed in the next one';

  it.each([
    ['a long name', '<text>Sandwich with grilled vegetables, cheese</text><text x="384">5.40&#10;</text>', 32, {}],
    [
      'a name of double width',
      '<text width="2" height="2">Cappuccino Oat</text><text x="310">2&#10;</text>',
      13,
      { size: '2x2' },
    ],
    ['one letter too many', `<text>${'a'.repeat(33)}</text><text x="384">5.40&#10;</text>`, 32, {}],
    ['Font B', `<text font="font_b">${'b'.repeat(44)}</text><text x="384">5.40&#10;</text>`, 43, { font: 'b' }],
    ['an element of its own', `<text>${'a'.repeat(40)}</text><text x="384"/><text>5.40&#10;</text>`, 32, {}],
    ['the beginning of the row', '<text>abc</text><text x="0">___&#10;</text>', 0, {}],
    ['a tab behind it', '<text>abc&#9;&#9;d</text><text x="120">e&#10;</text>', 10, {}],
  ])('is printed in the next row at that place, and told: %s', (_, body, columns, style) => {
    const [row, ...others] = linesOf(`${body}<text>next</text>`);
    expect(others).toEqual([]);
    const [first, second, third] = row?.type === 'text' ? row.value.split('\n') : [];
    const [, name, value] = /^<text[^>]*>(.*?)<.*>(.*?)&#10;/.exec(body.replaceAll('&#9;', '\t')) ?? [];
    expect([first, second, third]).toEqual([name, ' '.repeat(columns) + value, 'next']);
    expect(row).toMatchObject(style);
    expect(remarksOf(body)).toBe(PASSED);
  });

  it('goes on in that row, and ends it once', () => {
    const body = `<text>${'a'.repeat(30)}</text><text x="300">2</text><text x="480">9.80&#10;</text><text>b</text>`;
    expect(linesOf(body)).toEqual([text(`${'a'.repeat(30)}\n${' '.repeat(25)}2${' '.repeat(14)}9.80\nb`)]);
    expect(linesOf(`<text>${'a'.repeat(30)}</text><text x="300"/><text>&#10;b&#10;</text>`)).toEqual([
      text(`${'a'.repeat(30)}\nb`),
    ]);
    const backwards = `<text>${'a'.repeat(9)}</text><text x="60">b</text><text x="24">c&#10;</text>`;
    expect(linesOf(backwards)).toEqual([text(`${'a'.repeat(9)}\n     b\n  c`)]);
  });

  it('stays in its row where that has spaces and tabs there alone, which are cut', () => {
    const row = text(`Tea${' '.repeat(29)}5.40`);
    for (const blank of [
      '<text>Tea                                </text>',
      '<text>Tea&#9;&#9;&#9;&#9;&#9;&#9;</text>',
    ])
      expect(linesOf(`${blank}<text x="384">5.40&#10;</text>`)).toEqual([row]);
    const underlined = `<text ul="true">Tea${' '.repeat(60)}</text><text x="384">5.40&#10;</text>`;
    expect([linesOf(underlined), remarksOf(underlined)]).toEqual([[{ ...row, underline: true }], undefined]);
    expect(linesOf(`<text>   </text><text x="12">a&#10;</text>`)).toEqual([text(' a')]);
  });

  it('is aligned as its own row', () => {
    expect(linesOf('<text>abc</text><text align="right" x="12">d&#10;</text>')).toEqual([
      text('abc'),
      text(' d', { align: 'right' }),
    ]);
  });

  it('of two looks goes to the next row, too, whatever paper it is printed on', () => {
    const bold = '<text>Sandwich with grilled vegetables</text><text em="true" x="312">5.40&#10;</text>';
    expect(linesOf(bold)).toEqual([
      text('Sandwich with grilled vegetables'),
      text(`${' '.repeat(26)}5.40`, { bold: true }),
    ]);
  });

  it('stays where it is, and is told, at a place of no paper', () => {
    const body = '<text>abc</text><text x="65535">d&#10;</text>';
    expect([linesOf(body), remarksOf(body)]).toEqual([
      [text('abcd')],
      'x: a place outside of the paper is passed over',
    ]);
  });
});
