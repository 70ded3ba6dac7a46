/** The code pages of the virtual printer, beside those that the encoder sends text in: two tables that nobody shares. */
import { describe, expect, it } from 'vitest';
import { characterOf, MAKES, type Make } from '../../../../codecs/code-pages.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { LATER, OUT, plugged } from '../../../bindings/virtual-plugged.ts';

const UPPER = Array.from({ length: 128 }, (_, at) => 0x80 + at);
const UNKNOWN = '\ufffd';

/** What the bytes 80 to FF show in page n of a printer of this make. */
async function shown(make: string, n: number): Promise<string> {
  const printer = new VirtualPrinter({ printerModel: { dots: 12 * 130, columns: 130, codePages: make } });
  const { host } = await plugged(printer);
  await host.transferOut(OUT, Uint8Array.of(0x1b, 0x74, n, ...UPPER, 0x7c, 0x0a), LATER);
  return printer.paperText().slice(0, 128);
}

describe('the pages of', () => {
  const sent = (Object.keys(MAKES) as Make[]).flatMap((make) => MAKES[make].map(({ n, page }) => ({ make, n, page })));

  it.each(sent)('$make show $page by $n, as the encoder has it', async ({ make, n, page }) => {
    const expected = UPPER.map((byte) => characterOf(page, byte));
    const known = (text: Iterable<string>) => [...text].map((char, at) => (expected[at] === UNKNOWN ? '' : char));
    expect(known(await shown(make, n))).toEqual(known(expected));
    expect(known(await shown(make, n))).not.toContain(UNKNOWN);
  });

  it.each([
    [1, 'ｱｲｳｴｵ ﾝﾞﾟ ｶﾅ 円年月日'],
    [53, 'Қазақстан Ғылым Әуе Өнер Үкімет Ұлы Һ ң'],
    [44, 'Ґедзь їжак Єнот'],
    [38, 'Ξεσκεπάζω ΐΰ'],
    [43, 'Ąžuolas Съешь'],
    [42, 'Ąžuolas ėglė'],
    [37, '٠١٢٣'],
    [32, 'ضطظ'],
    [21, 'กขค'],
  ])('epson hold, in page %i, %s', async (n, text) => {
    const page = await shown('epson', n);
    expect([...text].filter((char) => char > '~' && !page.includes(char))).toEqual([]);
  });

  it('epson have the euro in page 857, and makes of whose tables nobody tells have it not', async () => {
    expect((await shown('epson', 13))[0xd5 - 0x80]).toBe('€');
    expect((await shown('bixolon', 37))[0xd5 - 0x80]).toBe(UNKNOWN);
    expect((await shown('citizen', 8))[0xd5 - 0x80]).toBe(UNKNOWN);
    expect((await shown('pos-5890', 61))[0xd5 - 0x80]).toBe(UNKNOWN);
  });

  it('epson leave nothing of Katakana unknown', async () => {
    expect(await shown('epson', 1)).not.toContain(UNKNOWN);
  });

  it('a make that nobody knows show nothing above 7F', async () => {
    expect(await shown('acme', 16)).toBe(UNKNOWN.repeat(128));
  });
});
