/** “It did not print” is looked up on the page: the last jobs as they happen, each with what came of it and why. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { describeWithPage, isLive, panelsOf, show, turnTo } from './twin.ts';

const LINES = [{ type: 'text', value: 'Mrs Miller, table 7' }, { type: 'cut' }];

describeWithPage('the panel of recent jobs', (shop) => {
  const print = (id: string) =>
    shop.twin.call('POST', '/print', { type: 'print', id, endpoint: 'receipt', lines: LINES });

  it('shows a job when it has ended, newest first, and the reason where nothing came out', async () => {
    const { page, complaints } = await shop.visit('jobs');
    await isLive(page);
    await page.getByText('Nothing was sent since the node was started.').waitFor();
    await print('a');
    await page.getByRole('row').filter({ hasText: 'Receipt' }).getByText('sent').waitFor();
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    await print('b');
    await page.getByRole('row').filter({ hasText: 'not printed' }).getByText('There was no paper').waitFor();
    await shop.twin.call('PUT', '/twin/printer', { paper: 'ok' });
    const rows = await page.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => /not printed|sent/.exec(row)?.[0])).toEqual(['not printed', 'sent']);
    expect(rows.join()).toContain('127.0.0.1');
    expect(await page.content()).not.toContain('Miller');
    expect(complaints).toEqual([]);
  });

  it('shows a connection to port 9100 that its client broke off: it may have printed', async () => {
    const { page } = await shop.visit('jobs');
    await isLive(page);
    const guest = connect(shop.twin.rawPort, '127.0.0.1');
    await once(guest, 'connect');
    guest.write('half a receipt\n');
    const row = page.getByRole('row').filter({ hasText: 'Port 9100' });
    await row.getByText('in progress').waitFor();
    guest.resetAndDestroy();
    await row.getByText('may have printed: look at the paper').waitFor();
    await row.getByText('The sender broke off').waitFor();
  });

  it('says above every panel what may be half printed, until somebody says what the paper shows', async () => {
    const lines = Array.from({ length: 8 }, () => ({ type: 'text', value: 'Coffee '.repeat(500) }));
    type Status = { jobs: { uncertain: number } };
    const inDoubt = async () => (await shop.twin.call<Status>('GET', '/status')).jobs.uncertain;
    await shop.twin.call('PUT', '/twin/printer', { slow: 2000 });
    const job = shop.twin.call('POST', '/print', { type: 'print', id: 'doubt', endpoint: 'receipt', lines });
    const { page } = await shop.visit('jobs');
    await page.getByText(/^[1-9][\d,]* of [\d,]+ bytes/).waitFor();
    await shop.twin.call('PUT', '/twin/printer', { attached: false });
    await job.catch(() => {});
    expect(await inDoubt()).toBe(1);
    await shop.twin.call('PUT', '/twin/printer', { attached: true, slow: 0 });
    const card = page.locator('section').filter({ hasText: /A receipt may be half printed, .+ Look at the printer/ });
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      // The printer took what it took by the last answer, or more.
      await card.getByText(/^at least [1-9][\d,]* of [\d,]+ bytes$/).waitFor();
    }
    await turnTo(page, 'de');
    await page.getByText(/^mindestens [1-9][\d.]* von [\d.]+ Bytes$/).waitFor();
    await turnTo(page, 'en');
    const other = (await shop.visit('receipt')).page.getByRole('button', { name: 'It did not' });
    await other.waitFor();
    await card.getByRole('button', { name: 'It did not' }).click();
    for (const each of [card, other]) await each.waitFor({ state: 'detached' });
    expect(await inDoubt()).toBe(0);
  });

  it('is joined by counters on the cards of printer and scanner', async () => {
    await print('c');
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931', symbology: 'ean13' });
    type Counters = { counters: Array<{ endpoint: string; total: Record<string, number> }> };
    const { counters } = await shop.twin.call<Counters>('GET', '/status');
    const { page } = await shop.visit('receipt');
    await isLive(page);
    const printed = counters.find(({ endpoint }) => endpoint === 'receipt')?.total['receipts'];
    expect(printed).toBeGreaterThan(0);
    const said = `${printed} since the start, ${printed} in all`;
    await page.locator('dl div').filter({ hasText: 'Receipts' }).getByText(said).waitFor();
    await page.getByRole('link', { name: 'Scanner', exact: true }).click();
    await page
      .locator('dl div')
      .filter({ hasText: 'Accepted reads' })
      .getByText('1 since the start, 1 in all')
      .waitFor();
  });
});
