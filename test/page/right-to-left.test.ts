/** In a language that is written from right to left the whole page is: it begins at the right, and nothing is cut off at the left. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { misfitsOn, NARROWEST } from './looks.ts';
import { describeWithPage, isLive, panelsOf, show } from './twin.ts';

/** A phone as most people have it. */
const PHONE = 360;

/** Whether a text of an element is read from left to right, for the page. */
const READS_LEFT = (element: unknown): boolean =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { direction: string } }).getComputedStyle(element)
    .direction === 'ltr';

/** Whether the first of two that stand side by side is the left one or the right one. */
async function sideOf(first: Locator, second: Locator): Promise<string> {
  const [one, other] = [await first.boundingBox(), await second.boundingBox()];
  if (one === null || other === null) return 'not there';
  if (one.x + one.width <= other.x) return 'left';
  return other.x + other.width <= one.x ? 'right' : 'neither';
}

/** Where the first thing of each of these stands, from the menu down to the label of a value. */
async function sidesOn(page: Page): Promise<Record<string, string>> {
  const sides: Record<string, string> = {};
  sides['menu, panel'] = await sideOf(page.locator('nav.panels'), page.locator('main'));
  sides['name, languages'] = await sideOf(page.locator('header h1'), page.locator('header .languages'));
  await show(page, 'traffic');
  sides['columns'] = await sideOf(page.locator('main th').first(), page.locator('main th').last());
  await show(page, 'receipt');
  sides['label, value'] = await sideOf(page.locator('main dt').first(), page.locator('main dd').first());
  return sides;
}

describeWithPage('the operator page', (shop) => {
  it('is laid out from right to left in Arabic: a mirror image of that in English', async () => {
    await shop.twin.call('PUT', '/config', { capture: true });
    await shop.twin.call('POST', '/capture/mark', { text: 'a row' });
    const seen: Record<string, string>[] = [];
    for (const [locale, dir] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ]) {
      const { page, complaints } = await shop.visit('overview', { locale: locale! });
      await isLive(page);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
      expect(await page.evaluate('document.documentElement.dir')).toBe(dir);
      expect(await page.evaluate('getComputedStyle(document.querySelector("main")).direction')).toBe(dir);
      seen.push(await sidesOn(page));
      expect(complaints).toEqual([]);
    }
    const [english, arabic] = seen;
    expect(new Set(Object.values(english!))).toEqual(new Set(['left']));
    expect(arabic).toEqual(Object.fromEntries(Object.keys(english!).map((pair) => [pair, 'right'])));
  });

  it(`cuts nothing off on any panel in Arabic, ${NARROWEST} and ${PHONE} dots wide`, { timeout: 300_000 }, async () => {
    await shop.twin.call('PUT', '/name', { name: 'The till beside the entrance of the shop in the High Street' });
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931'.repeat(9) });
    await shop.twin.call('POST', '/twin/attach', { vendorId: '1234', productId: 'abcd', model: 'W'.repeat(60) });
    await shop.twin.call('PUT', '/config', { capture: true, printWidthCols: 32 });
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    const { page } = await shop.visit('overview', { locale: 'ar', viewport: { width: PHONE, height: 780 } });
    await isLive(page);
    const faults: string[] = [];
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      faults.push(...(await misfitsOn(page, [NARROWEST, PHONE])).map((fault) => `${panel}, ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  it('shows every URL in Arabic from left to right, so that its last sign stands at its end', async () => {
    const { page } = await shop.visit('overview', { locale: 'ar' });
    await isLive(page);
    const urls = page.getByText(/^https?:\/\//);
    await urls.first().waitFor();
    const turned: string[] = [];
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      for (const url of await urls.all())
        if (!(await url.evaluate(READS_LEFT))) turned.push(`${panel}: ${await url.textContent()}`);
    }
    expect(turned).toEqual([]);
  });
});
