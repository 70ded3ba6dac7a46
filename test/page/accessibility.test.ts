/** Everybody can use it: axe finds nothing, keys reach everything, a narrow phone has no sideways scrolling. */
import { expect, it } from 'vitest';
import { bringAxe, violationsOn } from './looks.ts';
import { describeWithPage, isLive, panelsOf, show } from './twin.ts';

describeWithPage('the operator page, for everybody,', (shop) => {
  for (const [colorScheme, width, locale] of [
    ['light', 320, 'de'],
    ['dark', 320, 'en'],
    ['light', 820, 'en'],
    ['dark', 820, 'ar'],
    ['light', 1280, 'de'],
    ['dark', 1280, 'en'],
  ] as const) {
    it(`has no violation on any panel, ${colorScheme}, ${width} dots wide, in ${locale}`, {
      timeout: 400_000,
    }, async () => {
      await shop.twin.call('POST', '/twin/scan', { value: '4006381333931' });
      await shop.twin.call('PUT', '/config', { capture: true });
      await shop.twin.call('POST', '/drawer/kick', { type: 'drawer_kick', id: 'a', endpoint: 'receipt', pin: 3 });
      const { page, complaints } = await shop.visit('overview', {
        colorScheme,
        locale,
        viewport: { width, height: 800 },
      });
      await isLive(page);
      await bringAxe(page);
      const panels = await panelsOf(page);
      expect(panels).toHaveLength(new Set(panels).size);
      expect(panels.length).toBeGreaterThan(12);
      for (const panel of panels) {
        await show(page, panel);
        expect(await violationsOn(page), panel).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), panel).toBeLessThanOrEqual(width);
      }
      expect(complaints).toEqual([]);
    });
  }

  it('is walked by keys alone: past the menu, into a panel, and its heading has the focus', async () => {
    const { page } = await shop.visit('overview');
    await isLive(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to Overview');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    await page.getByRole('link', { name: 'Scale' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Scale' }).waitFor();
    await page.locator('h2:focus').filter({ hasText: 'Scale' }).waitFor();
    expect(await page.title()).toMatch(/^Scale · node-/);
  });

  it('opens its menu by a button on a narrow screen', async () => {
    const { page } = await shop.visit('overview', { viewport: { width: 320, height: 700 } });
    const menu = page.getByRole('button', { name: /choose another panel/ });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await page.getByRole('link', { name: 'Webhook' }).isVisible()).toBe(false);
    await menu.press('Enter');
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('link', { name: 'Webhook' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Webhook' }).waitFor();
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
  });
});
