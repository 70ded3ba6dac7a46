/** Every panel fits every screen, from a small phone to a wide monitor: nothing is cut off, nothing scrolls sideways. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWithPage, isLive, panelsOf, show } from './twin.ts';

const [NARROWEST, WIDEST, STEP] = [320, 1920, 20];
const WIDTHS = Array.from({ length: (WIDEST - NARROWEST) / STEP + 1 }, (_, step) => NARROWEST + step * STEP);

/** What stands over the edge of the window or of its card, without having been given a place to be scrolled in. */
const OVER_THE_EDGE = `(() => {
  const over = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) over.push('the document: ' + scrollWidth);
  for (const each of document.querySelectorAll('header *, nav *, main *')) {
    if (each.closest('.unseen, thead, .paper, .paper-text, .editor-text, svg, option') !== null) continue;
    const { left, right, width } = each.getBoundingClientRect();
    const card = each.parentElement.closest('.card')?.getBoundingClientRect();
    if (width > 0 && (left < -0.5 || right > (card?.right ?? clientWidth) + 0.5)) over.push(each.outerHTML.slice(0, 120));
  }
  return over.slice(0, 2);
})()`;

async function faultsOf(page: Page, panel: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const over = (await page.evaluate(OVER_THE_EDGE)) as string[];
    faults.push(...over.map((what) => `${panel}, ${width} dots: ${what}`));
  }
  return faults;
}

describeWithPage('the operator page', (shop) => {
  it(`is clean on every panel from ${NARROWEST} to ${WIDEST} dots`, { timeout: 240_000 }, async () => {
    await shop.twin.call('PUT', '/name', { name: 'The till beside the entrance of the shop in the High Street' });
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931'.repeat(9) });
    await shop.twin.call('POST', '/twin/attach', { vendorId: '1234', productId: 'abcd', model: 'W'.repeat(60) });
    await shop.twin.call('PUT', '/config', { capture: true, printWidthCols: 32 });
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    const lines = [{ type: 'feed' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'a', endpoint: 'receipt', lines });
    // The longest words.
    const { page } = await shop.visit('overview', { locale: 'de-DE' });
    await isLive(page);
    const faults: string[] = [];
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      faults.push(...(await faultsOf(page, panel)));
    }
    expect(faults).toEqual([]);
  });
});
