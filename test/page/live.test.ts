/** One event slot, given back when nobody looks; what is heard is on the page, and a lost node is said. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { languageKinds, wordsAt } from '../catalogues.ts';
import {
  describeWithPage,
  eventually,
  isLive,
  SOON_MS,
  showsInTime,
  startTwin,
  type Twin,
  timePasses,
  visit,
} from './twin.ts';

/** A viewer of the event stream; undefined where all slots are taken. */
async function viewer({ url }: Twin): Promise<AbortController | undefined> {
  const viewing = new AbortController();
  const { status } = await fetch(`${url}/events`, { signal: viewing.signal });
  return status === 200 ? viewing : undefined;
}

/** As many viewers as the node takes. */
async function fill(twin: Twin): Promise<AbortController[]> {
  const viewers: AbortController[] = [];
  for (let next = await viewer(twin); next !== undefined; next = await viewer(twin)) viewers.push(next);
  return viewers;
}

const leave = (viewers: readonly AbortController[]) => {
  for (const each of viewers) each.abort();
};

/** The browser says that its window is covered, or seen again. */
const cover = (page: Page, hidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

describeWithPage('the operator page, of which four at most are live,', (shop) => {
  it('takes one slot, gives it back when it is hidden, and comes back when it is seen', async () => {
    const { page } = await shop.visit('overview', { clock: true });
    await isLive(page);
    const others: AbortController[] = [];
    // The stream opens beside the status: until then the slot is not yet the page's.
    await eventually(async () => {
      leave(others.splice(0));
      others.push(...(await fill(shop.twin)));
      return others.length === 3;
    });
    await cover(page, true);
    await eventually(async () => {
      const fourth = await viewer(shop.twin);
      if (fourth !== undefined) others.push(fourth);
      return fourth !== undefined;
    });

    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/status')) asked += 1;
    });
    await cover(page, false);
    await page.getByText('4 of 4 live viewers: refreshing every 2 s').waitFor();
    const before = asked;
    for (const _ of [1, 2]) await timePasses(page);
    expect(asked).toBe(before + 2);
    leave(others);
    // A slot that was freed is found by asking for one, as often as the page looks.
    await page.clock.runFor(10_000);
    await isLive(page);
  });

  it('shows what happens as it happens: a scan, a weight, a paper that ends', async () => {
    // A scale is taken to sleep once it was quiet for some seconds.
    await shop.twin.call('PUT', '/twin/scale', { status: 'asleep' });
    const { page } = await shop.visit('scanner', { clock: true });
    await isLive(page);
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931', symbology: 'ean13' });
    await page.getByRole('cell', { name: '4006381333931' }).waitFor();
    await page.getByRole('cell', { name: 'ean13 (the scanner says)' }).waitFor();
    await shop.twin.call('POST', '/twin/scan', { value: '123' });
    await page.getByRole('cell', { name: 'too short' }).waitFor();

    await page.getByRole('link', { name: 'Devices' }).click();
    const row = page.getByRole('row').filter({ hasText: 'receipt' });
    await row.getByText('bound').waitFor();
    await shop.twin.call('PUT', '/twin/printer', { attached: false });
    await row.getByText(/gone for \d+ s/).waitFor();
    await shop.twin.call('PUT', '/twin/printer', { attached: true });
    await row.getByText('bound').waitFor();

    await page.getByRole('link', { name: 'Scale' }).click();
    await showsInTime(page, page.getByText('asleep: press a key on the scale'));
    expect(await page.locator('.reading').textContent()).toBe('no weight');
    await shop.twin.call('PUT', '/twin/scale', { grams: 1234, status: 'reading' });
    await page.getByText('1234 g').waitFor();
    await shop.twin.call('PUT', '/twin/scale', { attached: false });
    await showsInTime(page, page.getByText('absent: no scale is plugged in'));
  });

  /** Each loses the node, and says how it comes back. */
  const losses: Readonly<Record<string, (node: Twin, page: Page) => Promise<() => Promise<Twin>>>> = {
    'was ended': async (node) => {
      await node.stop();
      return () => startTwin({ port: Number(new URL(node.url).port) });
    },
    hangs: async (node) => {
      node.signal('SIGSTOP');
      return async () => {
        node.signal('SIGCONT');
        return node;
      };
    },
    // Neither an answer nor a refusal, as with the cable out.
    'cannot be reached': async (node, page) => {
      await page.route(/\/(status|config)$/, () => {});
      return async () => {
        await page.unrouteAll();
        return node;
      };
    },
  };
  for (const [gone, lose] of Object.entries(losses)) {
    it(`says of a node that ${gone}, on every card, that nothing is known, and since when; and finds it again`, async () => {
      const first = await startTwin();
      const { page } = await visit(shop.browser, `${first.url}/#overview`);
      await isLive(page);
      const find = await lose(first, page);
      await page
        .getByRole('banner')
        .getByText(/Not known: the node does not answer since \d/)
        .waitFor({ timeout: SOON_MS });
      const cards = await page.locator('main .card').allTextContents();
      expect(cards.length).toBeGreaterThan(3);
      for (const card of cards) expect(card).toContain('Not known: the node does not answer since');
      expect(await page.locator('main .state .good').count()).toBe(0);
      await page.locator('main button.main[aria-disabled=true]').first().waitFor();
      expect(await page.locator('main .action > button:not([aria-disabled=true])').count()).toBe(0);
      const again = await find();
      await isLive(page);
      await page.locator('main .state .good').first().waitFor();
      await page.context().close();
      await again.stop();
    });
  }

  it('says so in each kind of language, in the tabs without a live slot, too', { timeout: 300_000 }, async () => {
    const node = await startTwin();
    const tabs: { readonly page: Page; readonly said: readonly string[] }[] = [];
    const knows = (page: Page) => page.locator('header .link :is(.good, .warn)').waitFor();
    // More than four: the others look at the node again and again.
    for (const language of languageKinds) {
      const { page } = await visit(shop.browser, `${node.url}/#overview`, { locale: language });
      await knows(page);
      await page.locator('main .state .good').first().waitFor();
      const { notKnown = '' } = wordsAt('runtime/page/words', language);
      tabs.push({ page, said: notKnown.split('{time}').map((part) => part.trim()) });
    }
    node.signal('SIGSTOP');
    for (const { page, said } of tabs) {
      await page.locator('header .link .bad').waitFor({ timeout: SOON_MS });
      const places = [page.getByRole('banner'), ...(await page.locator('main .card').all())];
      expect(places.length).toBeGreaterThan(4);
      for (const place of places) for (const part of said) expect(await place.textContent()).toContain(part);
      expect(await page.locator('main .state .good').count()).toBe(0);
      expect(await page.locator('main .action > button:not([aria-disabled=true])').count()).toBe(0);
    }
    node.signal('SIGCONT');
    for (const { page } of tabs) await knows(page);
    await node.stop();
  });
});
