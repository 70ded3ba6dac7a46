/** Help: what a shop asks, found from the menu, by its address, and from one answer to the next. */
import { expect, it } from 'vitest';
import { bringAxe, misfitsOn, violationsOn } from '../../page/looks.ts';
import { describeWithPage, visit } from '../../page/twin.ts';

describeWithPage('help', (shop) => {
  it('is in the menu, and leads from what is in it to the answer, and on to the next', async () => {
    const { page, complaints } = await shop.visit('overview');
    await page.getByRole('navigation').getByRole('link', { name: 'Help', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Help' }).waitFor();
    expect(await page.locator('details[open]').count()).toBe(0);
    await page.getByRole('link', { name: 'drawer', exact: true }).click();
    await page.locator('details[open] p').first().waitFor();
    expect(new URL(page.url()).hash).toBe('#the-drawer');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('The drawer');
    await page.getByRole('link', { name: 'off, asleep, no paper' }).click();
    await page.locator('details[open]').nth(1).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toContain('has no paper');
    expect(complaints).toEqual([]);
  });

  it('has an address of its own for each question, and a way back', async () => {
    const { page } = await visit(shop.browser, `${shop.twin.url}/help#a-power-cut`);
    await page.locator('details[open]').waitFor();
    expect(await page.locator('details[open] summary').allTextContents()).toEqual(['A power cut']);
    await page.getByRole('link', { name: 'Back to the page of the node' }).click();
    await page.getByRole('heading', { level: 2, name: 'Overview' }).waitFor();
  });

  it('fits a phone, and has no violation, with all of it open, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await visit(shop.browser, `${shop.twin.url}/help`, {
        viewport: { width: 360, height: 800 },
        colorScheme,
      });
      await page.locator('details').first().waitFor();
      await bringAxe(page);
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      expect(await violationsOn(page)).toEqual([]);
      expect(await misfitsOn(page)).toEqual([]);
    }
  });
});
