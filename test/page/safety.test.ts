/** What the page must not do: run what a device calls itself, or offer to save on a node above open (5.12). */
import { expect, it } from 'vitest';
import { describeWithPage, isLive, panelsOf, show, showsInTime } from './twin.ts';

const KEY = 'the-key-of-this-test-0123';
const MARKUP = '<img src=x onerror="document.title=1">';

/** Buttons and fields that read, or print, or belong to the page itself; everything else would save something. */
const ALLOWED: Readonly<Record<'admin' | 'strict', RegExp>> = {
  strict:
    /^(Skip to .*|.*choose another panel|Language|Copy|Take a picture|Download .*|Save the settings to a file|Collect the text)$/,
  admin:
    /^(Skip to .*|.*choose another panel|Language|Copy|Take a picture|Download .*|Save the settings to a file|Collect the text|Clear|Compose|Print a test receipt|Open the drawer|What should be on it\?|Note|Note it|Boot the factory image)$/,
};

/** Panels that have something to save wherever they run. */
const SAVING = ['access', 'network', 'discovery', 'webhook', 'cloud', 'update', 'traffic'];
const WHY_NOT = /cannot be changed from this page while the API mode is above open/;

describeWithPage('the operator page, on its guard,', (shop) => {
  it('shows strings of devices as text, whatever stands in them', async () => {
    const { page, complaints } = await shop.visit('devices', { clock: true });
    await isLive(page);
    await shop.twin.call('POST', '/twin/attach', { vendorId: '1234', productId: 'abcd', make: 'Acme', model: MARKUP });
    await showsInTime(page, page.getByRole('cell', { name: `Acme ${MARKUP}` }).first());
    await page
      .getByText(/Recipe row for Acme/)
      .first()
      .click();
    await page.locator('pre').filter({ hasText: 'onerror' }).first().waitFor();
    await shop.twin.call('POST', '/twin/scan', { value: '<b>0012345</b>', symbology: 'qr' });
    await page.getByRole('link', { name: 'Scanner' }).click();
    await page.getByRole('cell', { name: '<b>0012345</b>' }).waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.title()).toMatch(/^Scanner/);
    expect(complaints).toEqual([]);
  });

  it('offers no save above open, says why, and shows everything all the same', async () => {
    await shop.twin.call('PUT', '/config', { apiKey: KEY, capture: true });
    for (const apiMode of ['admin', 'strict'] as const) {
      await shop.twin.call('PUT', '/config', { apiMode }, KEY);
      const { page } = await shop.visit('overview');
      await isLive(page);
      // What prints or belongs to the twin's bench saves nothing on the node.
      const panels = (await panelsOf(page)).filter((panel) => panel !== 'receipt' && panel !== 'bench');
      expect(panels).toEqual(expect.arrayContaining(SAVING));
      for (const panel of panels) {
        await show(page, panel);
        const controls = await page.locator('button, input, select, textarea').evaluateAll((all) =>
          all.map((each) => {
            const { labels } = each as unknown as { labels?: ArrayLike<{ textContent: string | null }> };
            return each.getAttribute('aria-label') ?? String((labels?.[0] ?? each).textContent).trim();
          }),
        );
        expect(
          controls.filter((name) => !ALLOWED[apiMode].test(name)),
          `${apiMode}: ${panel}`,
        ).toEqual([]);
        if (SAVING.includes(panel)) await page.getByText(WHY_NOT).first().waitFor();
      }
      await page.context().close();
    }
    await shop.twin.call('PUT', '/config', { apiMode: 'open' }, KEY);
    await shop.twin.call('PUT', '/config', { apiKey: '' }, KEY);
  });
});
