/** POST /cgi-bin/epos/service.cgi: all of a document is laid out before anything of it leaves, for the paper of the printer. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../node.ts';

const EPOS = 'http://www.epson-pos.com/schemas/2011/03/epos-print';

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
  await node.kernel.config.patch({ epos: { enabled: true } });
});
afterAll(() => node.stop());
afterEach(async () => {
  await node.kernel.config.patch({ printWidthCols: 48 });
  node.printer.tearOff();
});

async function told(body: string) {
  const answer = await fetch(`${node.url}/cgi-bin/epos/service.cgi`, {
    method: 'POST',
    body: `<epos-print xmlns="${EPOS}">${body}</epos-print>`,
  });
  const text = await answer.text();
  const value = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1];
  return { code: value('code'), detail: value('detail') };
}
const image = (width: number, height: number) =>
  `<image width="${width}" height="${height}">${Buffer.alloc((width / 8) * height, 0xaa).toString('base64')}</image>`;
const rows = () =>
  node.printer
    .paperText()
    .trimEnd()
    .split('\n')
    .filter((row) => row !== '');

describe('nothing leaves of a document whose last part', () => {
  it.each([
    ['is longer than 20 m', 'RequestEntityTooLarge', '<feed line="255"/>'.repeat(40)],
    ['begins a payload of over 1 MiB', 'SchemaError', '<command>1d384c00002000 3070</command>'],
    ['has rows of text for over 20 m', 'RequestEntityTooLarge', `<text>${'&#10;'.repeat(8000)}</text>`],
    [
      'has large characters for over 20 m',
      'RequestEntityTooLarge',
      `<text width="8" height="8">${'A&#10;'.repeat(900)}</text>`,
    ],
  ])('%s', async (_, code, last) => {
    const kicks = node.printer.pulses.length;
    for (const first of ['<pulse/>', '<command>410a</command>'])
      expect(await told(`<text>BEGIN&#10;</text>${first}${last}<cut/>`)).toMatchObject({ code });
    expect([node.printer.paperText(), node.printer.pulses.length]).toEqual(['', kicks]);
  });
});

it('a row of two looks that is longer than the paper goes on in the next row', async () => {
  expect(await told(`<text>${'n'.repeat(48)}</text><text em="true">TOTAL 5&#10;</text><cut/>`)).toEqual({
    ...{ code: '', detail: undefined },
  });
  expect(rows().slice(0, 2)).toEqual(['n'.repeat(48), 'TOTAL 5']);
  node.printer.tearOff();
  await node.kernel.config.patch({ printWidthCols: 32 });
  const article = '<text>Cappuccino with oat milk, large    </text><text em="true">5.40&#10;</text>';
  expect(await told(`${article}<pulse/>${article}`)).toMatchObject({ code: '' });
  expect(rows().filter((row) => row === '5.40')).toHaveLength(2);
});

it('tabs lead to the next stop, and no word to another place', async () => {
  const row = '<text>2&#9;Cappuccino&#9;</text><text em="true">5.40&#10;</text>';
  expect(await told(row)).toEqual({ code: '', detail: undefined });
  expect(rows()).toEqual([`2       Cappuccino      5.40`]);
});

it.each([
  [42, 504],
  [32, 384],
])('an image that is wider than the layout of %i columns is made as wide as that', async (columns, dots) => {
  await node.kernel.config.patch({ printWidthCols: columns });
  expect(await told(`<pulse/>${image(512, 300)}<cut/>`)).toMatchObject({ code: '' });
  const printed = Buffer.from(node.printer.paperBytes());
  expect(printed.includes(Buffer.from([0x1d, 0x76, 0x30, 0, dots / 8, 0]))).toBe(true);
});
