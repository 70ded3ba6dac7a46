/** Pictures in the receipt editor: seen before they print, and the same bytes as from the client and the command line. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { NodeClient, raster } from '../../runtime/client/client.ts';
import { logo, photo, pngOf } from '../pictures.ts';
import { describeWithPage, eventually, linesAsJson } from './twin.ts';

/** As a browser encodes a photo: colours at half the size, behind a JFIF header. */
const JPEG_PHOTO = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 240 });
  const context = canvas.getContext('2d');
  for (let x = 0; x < 640; x += 5)
    for (let y = 0; y < 240; y += 5) {
      context.fillStyle = 'rgb(' + [x / 2.6, y, (x * y) % 256].map(Math.floor).join() + ')';
      context.fillRect(x, y, 5, 5);
    }
  canvas.toBlob((blob) => blob.arrayBuffer().then((bytes) => resolve([...new Uint8Array(bytes)])), 'image/jpeg', 0.9);
})`;

const AUDIT =
  'axe.run(document.body, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id }) => id))';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-pictures-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const stored = (name: string, content: Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};

const lines = (page: Page) => page.getByLabel('Lines', { exact: true });
const file = (page: Page) => page.getByLabel(/^PNG or JPEG/);
const drawing = (page: Page) => page.getByRole('img', { name: 'The picture as it will be printed' });
const pressable = (page: Page, name: string) =>
  page.getByRole('button', { name }).and(page.locator('[aria-disabled=false]'));

describeWithPage('a picture for the receipt', (shop) => {
  /** Every dot of it; what the printer took also holds the status requests of the node, whenever they came. */
  const paper = async () => (await fetch(`${shop.twin.url}/twin/paper`)).text();
  const isPrinted = async () => (await paper()).includes('<path');
  beforeEach(() => shop.twin.call('DELETE', '/twin/paper'));

  /** The dots that are printed. */
  const printed = async (print: () => Promise<unknown>): Promise<string> => {
    await shop.twin.call('DELETE', '/twin/paper');
    await print();
    await eventually(isPrinted);
    return paper();
  };

  it('is the same bytes from the editor, the client and the command line', { timeout: 180_000 }, async () => {
    const { page, complaints } = await shop.visit('receipt');
    await linesAsJson(page);
    const client = new NodeClient({ url: shop.twin.url });
    const jpeg = Uint8Array.from((await page.evaluate(JPEG_PHOTO)) as number[]);
    const pictures = { 'photo.jpg': jpeg, 'photo.png': pngOf(photo(700, 200)), 'logo.png': pngOf(logo(200)) };
    for (const [name, content] of Object.entries(pictures)) {
      const path = stored(name, content);
      const line = { ...(await raster(content)), align: 'center' as const };
      const byClient = await printed(() =>
        client.print({ type: 'print', id: name, endpoint: 'receipt', lines: [line, { type: 'cut' }] }),
      );
      const byCommand = await printed(() =>
        promisify(execFile)(process.execPath, ['dist/twin/cli.js', 'print', '--image', path, '--node', shop.twin.url]),
      );
      await lines(page).fill('[{"type": "cut"}]');
      await file(page).setInputFiles(path);
      await pressable(page, 'Put it above the lines').click();
      const [inserted] = JSON.parse(await lines(page).inputValue()) as object[];
      expect(inserted, name).toEqual(line);
      await eventually(async () => (await page.getByText('Nothing can be printed').count()) === 0);
      const byEditor = await printed(async () => {
        await pressable(page, 'Print this').click();
        await page.locator('output.answer').filter({ hasText: 'Sent to the printer.' }).waitFor();
      });
      expect(byCommand === byClient, name).toBe(true);
      expect(byEditor === byClient, name).toBe(true);
    }
    expect(complaints).toEqual([]);
  });

  it('is seen as it will print, in the width and the shades that are chosen, before it is put above the lines', async () => {
    const { page } = await shop.visit('receipt', { viewport: { width: 320, height: 800 } });
    await linesAsJson(page);
    await lines(page).fill('[]');
    await file(page).setInputFiles(stored('logo.png', pngOf(logo(200))));
    const first = await drawing(page).getAttribute('src');
    await page.getByLabel('Shades').selectOption('Black and white, for logos');
    await eventually(async () => (await drawing(page).getAttribute('src')) !== first);
    await page.getByLabel('Width', { exact: true }).fill('100');
    await page.evaluate(axe.source);
    expect(await page.evaluate(AUDIT)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByLabel('Width', { exact: true }).fill('577');
    await drawing(page).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Put it above' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Width', { exact: true }).fill('100');
    await pressable(page, 'Put it above the lines').click();
    const expected = await raster(pngOf(logo(200)), { width: 100, dither: 'threshold' });
    expect(JSON.parse(await lines(page).inputValue())).toEqual([{ ...expected, align: 'center' }]);
    expect(await isPrinted()).toBe(false);
  });

  it('is refused in words where it cannot be read or is too tall', async () => {
    const { page } = await shop.visit('receipt', { locale: 'de-DE' });
    const choose = page.getByLabel(/^PNG oder JPEG/);
    const said = (words: string) => page.locator('output.bad').filter({ hasText: words }).waitFor();
    await choose.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a') });
    await said('Das ist kein PNG oder JPEG');
    await choose.setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: pngOf(logo(60)).subarray(0, 200) });
    await said('Die Datei ist beschädigt');
    await choose.setInputFiles({ name: 'c.png', mimeType: 'image/png', buffer: pngOf(photo(8, 6000)) });
    await page.getByLabel('Breite', { exact: true }).fill('400');
    await said('Das Bild ist zu hoch');
    expect(await page.getByRole('button', { name: 'Über die Zeilen' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('can be dropped on its field', async () => {
    const { page } = await shop.visit('receipt');
    await linesAsJson(page);
    const path = stored('logo.png', pngOf(logo(90)));
    await file(page).scrollIntoViewIfNeeded();
    const { x, y } = (await file(page).boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + 20, data });
    await drawing(page).waitFor();
  });
});
