import { beforeAll, expect, it } from 'vitest';
import { code128, pageOf } from '../../runtime/certify/symbols.ts';
import { loadReader, scan } from '../symbol-reader.ts';

const MODULE = 3;

/** The bars of a code as modules, 1 for black. */
function modulesOf(svg: string): string {
  const [, width = '0'] = /viewBox="0 0 (\d+) /.exec(svg) ?? [];
  const modules = Array.from({ length: Number(width) / MODULE }, () => '0');
  for (const [, x, wide] of svg.matchAll(/<rect x="(\d+)" width="(\d+)"/g))
    modules.fill('1', Number(x) / MODULE, (Number(x) + Number(wide)) / MODULE);
  return modules.join('');
}

beforeAll(loadReader);

// Between them they have every character of code set B.
const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');
const texts = ['4', '4006381333931', ...(all.match(/.{1,19}/g) ?? [])];

it.each(texts)('a reader reads the bar code of %j', async (text) => {
  const modules = modulesOf(code128(text));
  const width = modules.length * MODULE;
  const symbol = {
    ...{ kind: 'symbol' as const, symbology: 'code128', text, hri: 'none' as const },
    ...{ x: 0, y: 0, width, height: 90, modules: [modules] },
  };
  expect(await scan(symbol, 'code128', width)).toBe(text);
});

it('a page has each code with its number, and says its text as text', () => {
  const page = pageOf([
    { symbology: 'qr', value: 'Café Zürich Łódź 5 €' },
    { symbology: 'code128', value: '<b>' },
  ]);
  expect(page.match(/<figcaption>\d/g)).toEqual(['<figcaption>1', '<figcaption>2']);
  expect(page.match(/<svg/g)).toHaveLength(2);
  expect([page.includes('<b>'), page.includes('&#60;b&#62;')]).toEqual([false, true]);
});
