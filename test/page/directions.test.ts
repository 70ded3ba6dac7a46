/** Names and strings in a script that is written from right to left stand right, and leave the page as it is. */
import type { Locator } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { describeWithPage, linesAsJson } from './twin.ts';

const NAME = 'مقهى الزاوية (2)';
const MAKE = 'יצרן';
const MODEL = 'מדפסת קבלות (A)';

/** What the browser makes of this element's text. */
const computed = (place: Locator, property: 'direction' | 'unicode-bidi'): Promise<string> =>
  place.evaluate((element, name) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(of: unknown): { getPropertyValue(name: string): string };
    };
    return getComputedStyle(element).getPropertyValue(name);
  }, property);
const direction = (place: Locator) => computed(place, 'direction');

describeWithPage('the page', (shop) => {
  afterAll(() => shop.twin.call('PUT', '/name', { name: 'Till' }));

  it('shows the name of the node in its own direction, and takes one in its field', async () => {
    await shop.twin.call('PUT', '/name', { name: NAME });
    const { page } = await shop.visit('nodes');
    const heading = page.getByRole('heading', { level: 1, name: NAME });
    expect(await direction(heading.locator('bdi'))).toBe('rtl');
    const field = page.getByRole('textbox', { name: 'Name' });
    expect(await direction(field)).toBe('rtl');
    await field.fill('Till 2');
    expect(await direction(field)).toBe('ltr');
    expect(await direction(page.locator('main'))).toBe('ltr');
  });

  it('shows strings of devices in their own direction, also inside a sentence', async () => {
    await shop.twin.call('POST', '/twin/attach', { vendorId: 'abcd', productId: '0077', make: MAKE, model: MODEL });
    const { page } = await shop.visit('devices');
    const cell = page.locator('td bdi').filter({ hasText: MODEL }).first();
    expect(await direction(cell)).toBe('rtl');
    // FSI and PDI (Unicode Annex 9) around it.
    await page
      .locator('summary')
      .filter({ hasText: `\u2068${MAKE} ${MODEL}\u2069` })
      .waitFor();
  });

  it('shows what was scanned in its own direction', async () => {
    const value = 'שלום-123';
    await shop.twin.call('POST', '/twin/scan', { value });
    const { page } = await shop.visit('scanner');
    expect(await direction(page.locator('td code').filter({ hasText: value }))).toBe('rtl');
  });

  it('shows the rows of a paper each in its own direction', async () => {
    const { page } = await shop.visit('receipt');
    const lines = [{ type: 'text', value: 'abc' }];
    await (await linesAsJson(page)).fill(JSON.stringify(lines));
    const rows = page.locator('pre.paper-text');
    await rows.waitFor({ state: 'attached' });
    expect(await computed(rows, 'unicode-bidi')).toBe('plaintext');
  });
});
