/** The page of operators, in a browser: what its views show, and what is done on them. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { makeImage } from '../made-images.ts';
import { until } from '../node.ts';
import { eventually } from '../page/twin.ts';
import { heartbeat, printer } from './fleet.ts';
import { describeOperators, manyNodes, show } from './operators.ts';

const MARKUP = '<img src=x onerror="document.title=1">';

describeOperators('the page of operators', ({ signedIn }) => {
  const ids = (page: Page) => page.locator('td:first-child').allTextContents();

  it('lists nodes by state, version and search, each with an address of its own', async () => {
    const { page, fleet, complaints } = await signedIn(manyNodes);
    await page.getByText('Nodes that fit: 120').waitFor();
    await page.getByRole('link', { name: 'node-000' }).waitFor();
    await page.getByLabel('Version').selectOption('Older than 0.2.0');
    await page.getByText('Nodes that fit: 60').waitFor();
    await page.getByLabel('Filter').fill('version:<0.2.0 NODE-11');
    await page.getByText('Nodes that fit: 5').waitFor();
    expect(await ids(page)).toEqual(['node-110', 'node-112', 'node-114', 'node-116', 'node-118']);
    await page.reload();
    await page.getByText('Nodes that fit: 5').waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('version:<0.2.0 NODE-11');
    await show(page, 'nodes');
    await page.getByText('Nodes that fit: 120').waitFor();
    await page.getByRole('button', { name: /^No paper/ }).click();
    await page.getByRole('link', { name: 'node-007' }).waitFor();
    await page.getByText('Nodes that fit: 1', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^No paper/ }).getAttribute('aria-pressed')).toBe('true');
    expect((await fleet.call('GET', '/api/summary')).body.states[1]).toEqual({
      state: 'no_paper',
      nodes: 1,
      seconds: 0,
    });
    expect(complaints).toEqual([]);
  });

  it('shows one node: its state, its last crash, what changed and what came of jobs, in any script, never as markup', async () => {
    const { page, complaints } = await signedIn(async (fleet) => {
      await fleet.beat(heartbeat({ node: 'a%b?#&c' }));
      await fleet.webhook({
        node: 'a%b?#&c',
        seq: 1,
        uptimeMs: 61_000,
        event: { type: 'command_result', commandId: 'فاتورة-1', endpoint: 'receipt', error: 'printer_offline' },
      });
      await fleet.webhook({
        node: 'a%b?#&c',
        seq: 2,
        uptimeMs: 61_001,
        event: { type: 'command_result', commandId: 'a2', endpoint: 'receipt', error: 'write_failed' },
      });
      const crash = { bootId: 'b0000001', reason: MARKUP.slice(0, 64), uptimeSeconds: 9 };
      await fleet.beat(
        heartbeat({ node: 'a%b?#&c', bootId: 'b0000002', crash, printers: [printer({ paperOut: true })] }),
      );
    });
    await page.getByRole('link', { name: 'a%b?#&c' }).click();
    await page.getByRole('heading', { level: 2, name: 'a%b?#&c' }).waitFor();
    await page.locator('h2:focus').waitFor();
    await page.getByRole('heading', { name: 'Last crash' }).waitFor();
    await page.getByText(MARKUP.slice(0, 64)).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const job = page.getByRole('cell', { name: 'فاتورة-1' });
    expect(await job.locator('bdi').getAttribute('dir')).toBe('auto');
    await page.getByText('printer_offline').waitFor();
    await page.getByRole('row', { name: /a2 receipt .*Failed.*Sending to the printer failed/ }).waitFor();
    await page.getByRole('cell', { name: 'No paper' }).waitFor();
    await page.getByRole('row', { name: /Paper receipt in order out/ }).waitFor();
    expect(await page.title()).toBe('a%b?#&c · Fleet');
    expect(complaints).toEqual([]);
  });

  it('gives a node a site with hours, and shows all sites at a glance', async () => {
    const { page, fleet, complaints } = await signedIn(manyNodes, '#node/node-007');
    await page.getByLabel('Name', { exact: true }).fill('Bar');
    await page.getByLabel('Site', { exact: true }).fill('Graz, Ring 3');
    await page.getByLabel('Tags').fill('pilot  vip');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await fleet.call('GET', '/api/nodes/node-007')).body).toMatchObject({
      ...{ name: 'Bar', site: 'Graz, Ring 3', tags: ['pilot', 'vip'] },
    });
    await fleet.call('PUT', '/api/sites/Linz', {});
    await show(page, 'sites');
    await page.getByText('Sites: 2').waitFor();
    await page.getByLabel('Filter').fill('tag:pilot');
    await page.getByText('Sites: 1').waitFor();
    await page.locator('.grid path.bad').waitFor();
    await page.locator('.grid svg').click();
    await page.getByLabel('Opening hours').fill('Mo-Fr 8-20');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The fleet does not take these values.').waitFor();
    await page.getByLabel('Opening hours').fill('Mo-Fr 08:00-20:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Nodes of this site' }).click();
    await page.getByRole('row', { name: /node-007 Bar Graz, Ring 3/ }).waitFor();
    await page.getByText('Nodes that fit: 1', { exact: true }).waitFor();
    await show(page, 'audit');
    await page.getByRole('row', { name: /Site changed .* hours: Mo-Fr 08:00-20:00/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('gives a site another name, which its nodes follow, and all that is stored of it as a file', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await seeded.beat(heartbeat({ node: 'node-007' }));
      await seeded.call('PUT', '/api/nodes/node-007', { site: 'Graz' });
      await seeded.call('PUT', '/api/sites/Linz', {});
    }, '#site/Graz');
    const rename = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await rename('Linz');
    await page.getByText('there is a site Linz').waitFor();
    await rename('Graz, Ring 3');
    await page.waitForURL(/#site\/Graz%2C%20Ring%203$/);
    await until(async () => (await fleet.call('GET', '/api/nodes/node-007')).body.site === 'Graz, Ring 3');
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download all that is stored of this site' }).click();
    const download = await coming;
    const [first] = await (await download.createReadStream()).take(1).toArray();
    expect([download.suggestedFilename(), first?.toString().split('\n')[0]]).toEqual([
      'site.ndjson',
      expect.stringContaining('"kind":"site","name":"Graz, Ring 3"'),
    ]);
    expect(complaints).toEqual([]);
  });

  it('shows the fleet and a node over time, and leaves a gap where nothing is known', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await seeded.beat(
        heartbeat({ node: 'node-007', seq: 2, uptimeSeconds: 120, counters: { prints: 12 }, printers: [] }),
      );
      await expect.poll(async () => (await seeded.call('GET', '/api/alerts')).body.total, { timeout: 30_000 }).toBe(1);
    }, '#node/node-007');
    const hours = page.getByRole('region', { name: 'The last 48 hours' });
    // One of 48 hours is known, of heartbeats and of receipts.
    await hours.locator('svg rect.back').nth(1).waitFor();
    await hours.getByText('As a table').click();
    await hours.getByRole('row', { name: / 2 12$/ }).waitFor();
    expect(await hours.locator('svg rect.back').count()).toBe(2);
    expect(await hours.getByRole('row', { name: / – –$/ }).count()).toBe(47);
    await eventually(async () => (await fleet.call('GET', '/api/history')).body.hours[0]?.stored === 121);
    await show(page, 'history');
    await page.locator('.strip rect.good').first().waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('row', { name: / 121 0 0 1 0 0 0 0 0 0 0 0$/ }).waitFor();
    await page.getByLabel('Time span').selectOption('The last 30 days');
    await page.getByRole('columnheader', { name: 'Day' }).waitFor();
    expect(await page.getByRole('row', { name: / – – – – – – – – – – –$/ }).count()).toBe(29);
    expect(complaints).toEqual([]);
  });

  it('begins a rollout, shows how it goes, and stops it when that is confirmed', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await seeded.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
      // As one that had an image before a key was needed.
      await seeded.call('PUT', '/api/settings', { firmware: { keys: [] } });
    }, '#rollouts');
    await page.getByText('No image is taken before the key of those who sign images is set in the settings.').waitFor();
    await page.getByLabel('Groups').fill('id:node-000\n10%\n100%');
    await page.getByLabel('When it is offered').fill('closed');
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByText('It has begun.').waitFor();
    await page.getByText('Healthy: 0 of 120').waitFor();
    await page.getByText('while the site is closed', { exact: true }).waitFor();
    // No group begins before a node is healthy, whatever somebody presses.
    expect(await page.getByRole('button', { name: 'Begin the next group' }).count()).toBe(0);
    const runs = { node: 'node-000', firmwareVersion: '0.3.0', bootId: 'b0000009', uptimeSeconds: 700 };
    await fleet.beat(heartbeat(runs));
    await eventually(async () => (await fleet.call('GET', '/api/rollouts/1')).body.groups[0].taken === 1);
    await fleet.beat(heartbeat({ ...runs, seq: 2, uptimeSeconds: 701 }));
    await eventually(async () => (await fleet.call('GET', '/api/rollouts/1')).body.openGroup === 1);
    await page.getByRole('button', { name: 'Begin the next group' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await eventually(async () => (await fleet.call('GET', '/api/rollouts/1')).body.openGroup === 2);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'No' }).click();
    expect((await fleet.call('GET', '/api/rollouts/1')).body.state).toBe('running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Stopped by hand').waitFor();
    expect((await fleet.call('GET', '/api/rollouts/1')).body).toMatchObject({ state: 'stopped', endedBy: 'owner' });
    await page.getByRole('link', { name: /^Nodes that never asked/ }).click();
    await page.getByRole('link', { name: 'node-001' }).waitFor();
    await page.getByRole('button', { name: 'Take out node-001' }).click();
    await page.getByRole('button', { name: 'Try again node-001' }).click();
    await page.getByRole('button', { name: 'Take out node-001' }).waitFor();
    await show(page, 'audit');
    await page.getByRole('row', { name: /owner Rollout stopped/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('edits recipes: every fault with its line, versions, and back in one click', async () => {
    const { page, fleet, complaints } = await signedIn(async () => {}, '#recipes');
    const text = page.getByLabel('Rows as JSON');
    const empty = await text.inputValue();
    await text.fill('{\n  "maker": "Acme",\n  "rows": [{}]\n}\n');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/^Faults: \d/).waitFor();
    await page.getByRole('button', { name: 'Line 3' }).first().click();
    expect(await page.evaluate('getSelection().toString()')).toBe('  "rows": [{}]');
    await page.getByRole('button', { name: 'Save for all nodes' }).click();
    await page.getByText(/^Faults: \d/).waitFor();
    expect((await fleet.call('GET', '/api/recipes')).body.version).toBe(0);
    for (const maker of ['Acme', 'Ajax']) {
      await text.fill(empty.replace('""', JSON.stringify(maker)));
      await page.getByLabel('Note').fill(`for ${maker}`);
      await page.getByRole('button', { name: 'Save for all nodes' }).click();
      await page.getByRole('cell', { name: `for ${maker}` }).waitFor();
    }
    await page.getByRole('button', { name: 'Back to this one 1' }).click();
    await page.getByRole('heading', { name: 'Recipe table, version 3' }).waitFor();
    expect(await text.inputValue()).toContain('Acme');
    expect((await fleet.call('GET', '/api/recipes')).body).toMatchObject({ version: 3, who: 'owner' });
    expect(complaints).toEqual([]);
  });

  it('shows alerts and saves settings; what is refused is said', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await expect.poll(async () => (await seeded.call('GET', '/api/alerts')).body.total, { timeout: 30_000 }).toBe(1);
    }, '#alerts');
    await page.getByRole('row', { name: /No paper node-007 .* Going on/ }).waitFor();
    await show(page, 'settings');
    const webhook = page.getByRole('region', { name: 'Alerts by webhook' });
    await webhook.getByLabel('URL').fill('ftp://receiver.example');
    await webhook.getByRole('button', { name: 'Save' }).click();
    await webhook.getByText('The fleet does not take these values.').waitFor();
    await webhook.getByLabel('URL').fill('https://receiver.example/alerts');
    await webhook.getByRole('button', { name: 'Save' }).click();
    await webhook.getByText('Saved.').waitFor();
    expect((await fleet.call('GET', '/api/settings')).body.alerts.webhook.url).toBe('https://receiver.example/alerts');
    expect(complaints).toEqual([]);
  });
});
