/** The receipt panel: the printer in words, an editor that knows the contract, and the paper before it is sent. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { needTools } from '../tools.ts';
import { describeWithPage, eventually, linesAsJson } from './twin.ts';

const lines = (page: Page): Locator => page.getByLabel('Lines', { exact: true });
const preview = (page: Page): Locator => page.getByRole('region', { name: 'Preview' });
const write = (page: Page, value: readonly object[]) => lines(page).fill(JSON.stringify(value));
const textOf = (place: Locator) => place.locator('pre.paper-text').textContent();
const answer = (page: Page, words: RegExp) => page.locator('output.answer').filter({ hasText: words });

const sizeOf = (image: { readonly naturalWidth: number; readonly naturalHeight: number }) => [
  image.naturalWidth,
  image.naturalHeight,
];

const noZbar = needTools(['zbarimg']);
/** What zbar reads off a picture. */
async function scanned(place: Locator): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-zbar-'));
  const path = join(directory, 'screen.png');
  writeFileSync(path, await place.screenshot());
  const read = execFileSync('zbarimg', ['--quiet', path], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  return read.trim().split('\n');
}

describeWithPage('the receipt panel', (shop) => {
  beforeEach(async () => {
    await shop.twin.call('PUT', '/twin/printer', { cover: 'closed', paper: 'ok', silent: false, attached: true });
    await shop.twin.call('DELETE', '/twin/paper');
  });
  const paper = async () => (await fetch(`${shop.twin.url}/twin/paper`)).text();
  const paperText = async () => (await fetch(`${shop.twin.url}/twin/paper.txt`)).text();

  it('says of a picture without a black dot that nothing of it is printed', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    const warning = preview(page).getByText('The picture in line 2 has no black dot');
    await write(page, [{ type: 'rule' }, { type: 'raster', width: 8, height: 3, data: 'AAAA' }]);
    await warning.waitFor();
    await write(page, [{ type: 'rule' }, { type: 'raster', width: 8, height: 3, data: 'AAAB' }]);
    await warning.waitFor({ state: 'detached' });
  });

  it('prints each sample as it showed it', async () => {
    const { page, complaints } = await shop.visit('receipt');
    await linesAsJson(page);
    const picture = preview(page).getByRole('img');
    const samples = page.getByRole('group', { name: 'Samples' }).getByRole('button');
    for (const name of ['Pharmacy', 'Delivery label', 'QR ticket', 'Cafe']) {
      await shop.twin.call('DELETE', '/twin/paper');
      const before = await picture.getAttribute('src');
      await samples.getByText(name, { exact: true }).click();
      await eventually(async () => (await picture.getAttribute('src')) !== before);
      // The one before it was sent; this one was not.
      expect(await answer(page, /^Sent/).count(), name).toBe(0);
      await page.getByRole('button', { name: 'Print this' }).and(page.locator('[aria-disabled=false]')).click();
      await eventually(async () => (await paperText()) !== '');
      await answer(page, /^Sent to the printer\.$/).waitFor();
      expect(await textOf(preview(page)), name).toBe(await paperText());
      const drawn = /width="(\d+)" height="(\d+)"/.exec(await paper());
      expect(await picture.evaluate(sizeOf), name).toEqual(drawn?.slice(1).map(Number));
    }
    expect(await samples.count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('is composed by buttons and fields, without JSON', async () => {
    const { page, complaints } = await shop.visit('receipt');
    const rows = page.getByRole('list', { name: 'Lines' }).getByRole('listitem');
    const row = (n: number) => rows.nth(n - 1);
    const add = (name: string) =>
      page.getByRole('group', { name: 'Add a line' }).getByRole('button', { name, exact: true }).click();
    for (let left = await rows.count(); left > 0; left -= 1) {
      await row(left)
        .getByRole('button', { name: /^Leave out/ })
        .click();
    }
    await add('Cut');
    await add('Text');
    await row(1).getByLabel('Text', { exact: true }).fill('Tea house');
    await row(1).getByLabel('Alignment').selectOption('centre');
    await row(1).getByLabel('Bold').check();
    await add('Code');
    await page.getByText('is too short, in characters at least: 1').waitFor();
    await row(2).getByLabel('Content').fill('4006381333931');
    await row(2).getByLabel('Kind of code').selectOption('ean13');
    await add('Columns');
    await row(3).getByLabel('Column 1').fill('Tea');
    await row(3).getByLabel('Column 2').fill('2.50');
    await row(3)
      .getByRole('button', { name: /^Move up/ })
      .click();
    await page.getByRole('button', { name: 'Print this' }).and(page.locator('[aria-disabled=false]')).click();
    await answer(page, /^Sent to the printer\.$/).waitFor();
    expect(await paperText()).toMatch(/^ +Tea house\nTea +2\.50\n/);
    expect(JSON.parse(await (await linesAsJson(page)).inputValue())).toEqual([
      { type: 'text', value: 'Tea house', align: 'center', bold: true },
      { type: 'columns', cells: [{ value: 'Tea' }, { value: '2.50', align: 'right' }] },
      { type: 'barcode', symbology: 'ean13', value: '4006381333931', align: 'center' },
      { type: 'cut' },
    ]);
    // What no row can show is shown as it stands.
    await lines(page).fill('[{ "type": "tex');
    await page.getByLabel('Edit as JSON').uncheck();
    expect(await lines(page).inputValue()).toBe('[{ "type": "tex');
    expect(complaints).toEqual([]);
  });

  it('says in words, and in its place, what is wrong', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await lines(page).fill('[\n  { "type": "text", "value": "a" },\n  { "type": "feed", "lines": 256 }\n]');
    const fault = page.getByRole('listitem').filter({ hasText: 'lines/1/lines: must be at most 255' });
    await fault.waitFor();
    expect(await page.locator('.editor mark').textContent()).toBe('256');
    expect(await lines(page).getAttribute('aria-invalid')).toBe('true');
    await fault.getByRole('button', { name: 'Line 3, column 30' }).click();
    await page.keyboard.type('2');
    await fault.waitFor({ state: 'detached' });
    expect(await lines(page).inputValue()).toContain('"lines": 2 }');

    await write(page, [{ type: 'barcode', symbology: 'ean13', value: '4006381333932' }]);
    await page.getByText('lines/0: ean13 check digit of 400638133393 is 1').waitFor();
    expect(await page.getByRole('button', { name: 'Print this' }).getAttribute('aria-disabled')).toBe('true');
    expect(await paper()).not.toContain('<text');
  });

  it('completes keys and values with the keyboard', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await lines(page).fill('[]');
    await lines(page).press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+Space');
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    expect(await options.count()).toBe(8);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await lines(page).getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.keyboard.type('Hi');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type(', "al');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await lines(page).inputValue()).toBe('[{ "type": "text", "value": "Hi", "align": "center" }]');
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('Escape');
    expect(await options.count()).toBe(0);
    await page.keyboard.press('Tab');
    expect(await lines(page).and(page.locator(':focus')).count()).toBe(0);
  });

  it('counts what prints as a question mark, and lays out in the configured width', async () => {
    await shop.twin.call('PUT', '/config', { printWidthCols: 20 });
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await write(page, [{ type: 'columns', cells: [{ value: '\ue000' }, { value: 'b', align: 'right' }] }]);
    await page.getByText('Characters that print as ?: 1').waitFor();
    expect(await textOf(preview(page))).toBe(`?${' '.repeat(18)}b\n`);
    await shop.twin.call('PUT', '/config', { printWidthCols: 48 });
  });

  it('keeps the last paper while the node does not answer, says so, and asks again when it is back', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await write(page, [{ type: 'text', value: 'first' }]);
    await eventually(async () => (await textOf(preview(page))) === 'first\n');
    const away = preview(page).getByText('The node did not answer');
    await page.route('**/preview', (route) => route.abort());
    await write(page, [{ type: 'text', value: 'second' }]);
    await away.waitFor();
    expect(await textOf(preview(page))).toBe('first\n');
    await page.unroute('**/preview');
    await away.waitFor({ state: 'detached' });
    expect(await textOf(preview(page))).toBe('second\n');
  });

  it('refuses in words while the cover is open, and knows nothing of a silent printer', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await shop.twin.call('PUT', '/twin/printer', { cover: 'open' });
    await page.getByRole('definition').filter({ hasText: /open$/ }).first().waitFor();
    await page.getByRole('button', { name: 'Print a test receipt' }).click();
    const refusal = answer(page, /^The cover is open; nothing was printed\./);
    await refusal.waitFor();
    await shop.twin.call('PUT', '/twin/printer', { cover: 'closed' });
    await refusal.waitFor({ state: 'detached' });
    // A printer that is plugged in is asked at once.
    await shop.twin.call('PUT', '/twin/printer', { cover: 'closed', silent: true, attached: false });
    await shop.twin.call('PUT', '/twin/printer', { attached: true });
    const unknown = page.getByRole('definition').filter({ hasText: 'unknown: the printer does not say' });
    await eventually(async () => (await unknown.count()) >= 3);
  });

  it('prints a test receipt and opens the drawer', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await page.getByRole('button', { name: 'Print a test receipt' }).click();
    await answer(page, /^Sent to the printer\.$/).waitFor();
    expect(await paperText()).toContain('1,00 € é ü ñ å ł ő Ω Ж');
    await page.getByRole('button', { name: 'Open the drawer' }).click();
    await answer(page, /pulse was sent/).waitFor();
    expect(await shop.twin.call('PUT', '/twin/printer', {})).toMatchObject({ drawer: 'open' });
  });

  it('offers no printing to a page that holds no key for it', async () => {
    const key = 'a key of many letters';
    await shop.twin.call('PUT', '/config', { apiMode: 'strict', apiKey: key });
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    await preview(page).getByText('need the API key').waitFor();
    expect(await page.getByRole('button', { name: /Print|drawer/ }).count()).toBe(0);
    await shop.twin.call('PUT', '/config', { apiMode: 'open', apiKey: '' }, key);
  });

  describe.skipIf(noZbar !== undefined)('has bar codes', () => {
    it('that a scanner reads off the preview, and off the paper', async () => {
      const { page } = await shop.visit('receipt');
      await linesAsJson(page);
      await write(page, [
        { type: 'barcode', symbology: 'ean13', value: '4006381333931', align: 'center' },
        { type: 'feed', lines: 3 },
        { type: 'barcode', symbology: 'qr', value: 'https://example.com/t/7KQ2-94XD', align: 'center' },
        { type: 'feed' },
      ]);
      const codes = ['EAN-13:4006381333931', 'QR-Code:https://example.com/t/7KQ2-94XD'];
      await page.getByText('[qr ').waitFor({ state: 'attached' });
      await eventually(async () => (await scanned(preview(page).getByRole('img')).catch(() => [])).length === 2);
      expect((await scanned(preview(page).getByRole('img'))).sort()).toEqual(codes);
      await page.getByRole('button', { name: 'Print this' }).click();
      await answer(page, /^Sent to the printer\.$/).waitFor();
      await page.goto(`${shop.twin.url}/#bench`);
      const out = page.getByRole('img', { name: 'The paper that came out' });
      await out.waitFor();
      await eventually(async () => (await scanned(out).catch(() => [])).length === 2);
      expect((await scanned(out)).sort()).toEqual(codes);
      await page.context().close();
    });
  });
});
