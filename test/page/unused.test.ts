/** What is plugged in and cannot be used is told on the overview, with the reason and what to do, whatever it is. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { languageKinds, wordsAt } from '../catalogues.ts';
import { REASONS } from '../reasons.ts';
import { describeWithPage, isLive, SOON_MS } from './twin.ts';

const STRANGER = { vendorId: '1234', productId: 'abcd', make: 'Acme', model: 'Thing' };

describeWithPage('a device that serves nobody', (shop) => {
  it('is told of as long as it is plugged in, with a link to what to do', async () => {
    const { page } = await shop.visit('overview');
    await isLive(page);
    const card = page.getByRole('region', { name: 'Plugged in, but not used' });
    expect(await card.count()).toBe(0);
    await shop.twin.call('POST', '/twin/attach', STRANGER);
    await card.getByText('Acme Thing: this firmware has no codec for it').waitFor({ timeout: SOON_MS });
    await card.getByRole('link', { name: 'What to do' }).click();
    await page.locator('main li[aria-current=true]').waitFor();
    expect(await page.locator('main li[aria-current=true]').getAttribute('id')).toBe('trouble/no_codec');
    await page.goBack();
    await card.waitFor();
    await shop.twin.call('POST', '/twin/attach', { ...STRANGER, attached: false });
    await card.waitFor({ state: 'detached', timeout: SOON_MS });
  });

  it.each(languageKinds)('has a sentence and a next step for each reason of the contract, in %s', async (language) => {
    const status = await shop.twin.call('GET', '/status');
    const rejections = REASONS.map((reason, n) => ({
      ...{ ...STRANGER, model: `Thing ${n}`, class: 'unknown', ageMs: 0 },
      ...{ reason, connected: true },
    }));
    const before = (page: Page) =>
      page.route('**/status', (route) => route.fulfill({ json: { ...status, rejections } }));
    const { page } = await shop.visit('overview', { locale: language, before });
    const own = wordsAt('runtime/services/status/words', language);
    const words = wordsAt('runtime/page/words', language);
    const card = page.getByRole('region', { name: own['unused'] ?? '', exact: true });
    for (const [n, reason] of REASONS.entries()) {
      const said = words[`reason_${reason}`] ?? (reason.startsWith('second_') ? words['reason_second'] : undefined);
      expect(said, reason).toBeDefined();
      const line = card
        .locator('.state')
        .filter({ hasText: `Thing ${n}` })
        .filter({ hasText: said ?? '' })
        .first();
      await line.waitFor();
      expect(await line.getByRole('link').getAttribute('href')).toBe(`#trouble/${reason}`);
    }
    // It asks again and again.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
