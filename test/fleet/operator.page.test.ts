/** The page of operators, in a browser. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesIn } from '../../runtime/assembly/page/word-files.ts';
import { makeFleetPage } from '../../runtime/fleet/assembly/page.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { servedOf } from '../../runtime/fleet/http/page.ts';
import { makeImage } from '../image/made.ts';
import { languages } from '../page/catalogues.ts';
import { bringAxe, misfitsOn, violationsOn } from '../page/looks.ts';
import { eventually, type Visit, type VisitOptions, visit } from '../page/twin.ts';
import { databases, EITHER, fleetOn, heartbeat, MASTER, printer, type RunningFleet } from './fleet.ts';
import { startProvider } from './provider.ts';

const PASSWORD = 'correct horse battery';
const MARKUP = '<img src=x onerror="document.title=1">';
const VIEWS = [
  'nodes',
  'sites',
  'site/Graz',
  'alerts',
  'history',
  'history?by=days',
  'rollouts',
  'recipes',
  'settings',
  'people',
  'audit',
];
const endpoint = inject('browser');

describe.skipIf(endpoint === '')('the page of operators', () => {
  const database = databases(EITHER[0]);
  const made = makeFleetPage();
  const shop: { browser?: Browser } = {};
  beforeAll(async () => {
    shop.browser = await chromium.connect(endpoint);
  });
  afterEach(async () => {
    for (const context of shop.browser?.contexts() ?? []) await context.close();
  });
  afterAll(() => shop.browser?.close());

  const started = async (options: object = {}) => fleetOn(await database(), { page: servedOf(await made), ...options });
  const comes = (fleet: RunningFleet, hash = '', options: VisitOptions = {}): Promise<Visit> =>
    visit(shop.browser!, `${fleet.url}/${hash}`, options);
  const enters = async (page: Page) => {
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.locator('main button[type=submit]').click();
    await page.locator('nav.panels a').first().waitFor({ state: 'attached' });
  };
  /** A fleet whose password is set, and somebody who is signed in. */
  const signedIn = async (seed: (fleet: RunningFleet) => Promise<unknown>, hash = '', options: VisitOptions = {}) => {
    const fleet = await started();
    await fleet.call('PUT', '/api/password', { password: PASSWORD });
    await seed(fleet);
    const visited = await comes(fleet, hash, options);
    await enters(visited.page);
    return { fleet, ...visited };
  };
  const show = async (page: Page, hash: string) => {
    await page.evaluate(`location.hash = '#${hash}'`);
    await page.locator('main .card').first().waitFor();
    await eventually(async () => (await page.locator('main .asking').count()) === 0);
  };
  const ids = (page: Page) => page.locator('td:first-child').allTextContents();

  const manyNodes = async (fleet: RunningFleet) => {
    await fleet.call('PUT', '/api/settings', { rules: { no_paper: { afterSeconds: 0 } } });
    await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        fleet.beat(
          heartbeat({
            node: `node-${String(at).padStart(3, '0')}`,
            firmwareVersion: at % 2 === 0 ? '0.1.0' : '0.2.0',
            printers: [printer({ paperOut: at === 7 })],
          }),
        ),
      ),
    );
  };

  it('asks for the master token at first, then for the password, and lets nobody in without', async () => {
    const fleet = await started();
    const { page, complaints } = await comes(fleet, '#audit');
    await page.getByLabel('Master token').fill('wrong');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('This is not right.').waitFor();
    await page.getByLabel('Master token').fill(MASTER);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('cell', { name: 'Password set' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').fill('wrong horse battery');
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is not right.').waitFor();
    expect(await page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    await enters(page);
    await page.getByRole('cell', { name: 'Signed out' }).waitFor();
    expect(complaints).toEqual([]);
  });

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

  /** Goes through a list of 100,000: the rows of each place are there, say which they are, and no others are drawn. */
  const scrolls = async (page: Page, cellOf: (at: number) => string, column = 0) => {
    // In one look: blocks of rows come and go while their heights become known.
    const look = `(() => {
      const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('tr[aria-rowindex]');
      const rows = document.querySelectorAll('tbody tr[aria-rowindex]');
      const first = rows[0];
      const drawn = document.querySelectorAll('tbody tr').length;
      return first && { at: Number(middle?.ariaRowIndex ?? 0), row: Number(first.ariaRowIndex), cell: first.cells[${column}].textContent, drawn };
    })()`;
    type Look =
      | { readonly at: number; readonly row: number; readonly cell: string; readonly drawn: number }
      | undefined;
    for (const [part, from, to] of [
      [0.5, 45_000, 55_000],
      [1, 99_900, 100_001],
      [0.25, 20_000, 30_000],
      [0, 0, 100],
    ] as const) {
      let seen: Look;
      await eventually(async () => {
        // Its height is known once some rows were drawn.
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part})`);
        seen = (await page.evaluate(look)) as Look;
        return seen !== undefined && seen.at >= from && seen.at <= to;
      });
      expect(seen?.cell).toBe(cellOf((seen?.row ?? 0) - 2));
      expect(seen?.drawn).toBeLessThan(300);
    }
  };

  it('a list of 100,000 scrolls to its end, and asks for what is seen alone', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      const on = await openDatabase(seeded.where);
      await on.query(
        `INSERT INTO node (id, look) SELECT 'n' || to_char(i, 'FM000000'), false FROM generate_series(0, 99999) AS i`,
      );
      await on.close();
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByText('Nodes that fit: 100,000').waitFor();
    await scrolls(page, (at) => `n${String(at).padStart(6, '0')}`);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByRole('link', { name: 'n099999' }).waitFor();
    expect(await page.locator('table').getAttribute('aria-rowcount')).toBe('100001');
    expect(asked.filter((url) => url.includes('/api/nodes')).length).toBeLessThan(60);
    await page.getByLabel('Filter').fill('n09999');
    await page.getByText('Nodes that fit: 10', { exact: true }).waitFor();
    await eventually(async () => (await page.locator('tbody tr').count()) === 10);
    await fleet.stop();
    expect(complaints).toEqual([]);
  });

  const named = (letter: string) => (at: number) => `${letter}${String(at).padStart(6, '0')}`;
  it.each([
    [
      'nodes of a rollout',
      'rollout/1',
      'Nodes that fit: 100,000',
      `INSERT INTO rollout_node (rollout, node, in_group, state)
       SELECT 1, 'n' || to_char(i, 'FM000000'), 0, 'skipped' FROM generate_series(0, 99999) AS i`,
      named('n'),
      0,
    ],
    [
      'sites as a table',
      'sites',
      'Sites: 100,000',
      `INSERT INTO site (name, look_at)
       SELECT 's' || to_char(i, 'FM000000'), now() + interval '1 hour' FROM generate_series(0, 99999) AS i`,
      named('s'),
      0,
    ],
    [
      'audit',
      'audit',
      'Entries: 100,002',
      `INSERT INTO audit (who, what, subject) SELECT 'a', 'b', 'a' || to_char(i, 'FM000000') FROM generate_series(99999, 0, -1) AS i`,
      // Who set the password signs in after them.
      (at: number) => (at === 0 ? '127.0.0.1' : at > 100_000 ? 'owner 127.0.0.1' : named('a')(at - 1)),
      3,
    ],
  ] as const)('so do the %s', async (_, hash, told, insert, cellOf, column) => {
    const { page, complaints } = await signedIn(async (seeded) => {
      const on = await openDatabase(seeded.where);
      await on.query(`INSERT INTO release (variant, version, version_order, length, sha256, floor, who)
        VALUES ('wifi', '0.2.0', '0', 1, '', 0, 'a')`);
      await on.query(`INSERT INTO rollout (variant, version, plan, state, groups, started_by)
        VALUES ('wifi', '0.2.0', '{"groups": ["100%"]}', 'stopped', 1, 'a')`);
      await on.query(insert);
      await on.close();
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.evaluate(`location.hash = '#${hash}'`);
    await page.getByText(told, { exact: true }).waitFor();
    if (hash === 'sites') await page.getByText('As a table').click();
    await page.locator('tbody tr[aria-rowindex]').first().waitFor();
    await scrolls(page, cellOf, column);
    expect(asked.filter((url) => url.includes('offset=')).length).toBeLessThan(60);
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
    await page.getByRole('row', { name: / 121 0 0 1 0 0 0 0 0$/ }).waitFor();
    await page.getByLabel('Time span').selectOption('The last 30 days');
    await page.getByRole('columnheader', { name: 'Day' }).waitFor();
    expect(await page.getByRole('row', { name: / – – – – – – – – –$/ }).count()).toBe(29);
    expect(complaints).toEqual([]);
  });

  it('begins a rollout, shows how it goes, and stops it when that is confirmed', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await seeded.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
    }, '#rollouts');
    await page.getByText('Signatures of images are not checked here: no key is set in the settings.').waitFor();
    await page.getByLabel('Groups').fill('id:node-000\n10%\n100%');
    await page.getByLabel('When it is offered').fill('closed');
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByText('It has begun.').waitFor();
    await page.getByText('Healthy: 0 of 120').waitFor();
    await page.getByText('while the site is closed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Begin the next group' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await eventually(async () => (await fleet.call('GET', '/api/rollouts/1')).body.openGroup === 1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'No' }).click();
    expect((await fleet.call('GET', '/api/rollouts/1')).body.state).toBe('running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Stopped by hand').waitFor();
    expect((await fleet.call('GET', '/api/rollouts/1')).body).toMatchObject({ state: 'stopped', endedBy: 'owner' });
    await page.getByRole('link', { name: /^Nodes that never asked/ }).click();
    await page.getByRole('link', { name: 'node-000' }).waitFor();
    await page.getByRole('button', { name: 'Take out node-000' }).click();
    await page.getByRole('button', { name: 'Try again node-000' }).click();
    await page.getByRole('button', { name: 'Take out node-000' }).waitFor();
    await show(page, 'audit');
    await page.getByRole('row', { name: /owner Rollout stopped/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('what a role may not do is off, and nothing that is on is refused', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await seeded.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
    }, '#node/node-007');
    await page.getByRole('button', { name: 'Another token' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText(/^Shown this once: [\w-]{43}$/).waitFor();
    await fleet.call('PUT', '/api/people/owner', { role: 'viewer' });
    await page.reload();
    const on = () => page.locator('main').locator('button:enabled, input:enabled, textarea:enabled').allTextContents();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await on()).toEqual([]);
    await show(page, 'rollouts');
    await page.getByRole('button', { name: 'Upload' }).waitFor();
    expect(await on()).toEqual([]);
    await show(page, 'settings');
    expect(await on()).toContain('Change the password');
    expect(await page.getByText('Alerts by webhook').count()).toBe(0);
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

  it('gives people accounts and programs tokens, and shows a viewer nothing of that', async () => {
    const { page, fleet, complaints } = await signedIn(async () => {}, '#people');
    const people = page.getByRole('region', { name: 'People' });
    await people.getByLabel('Name').fill('ada');
    await people.getByLabel('New password').fill(PASSWORD);
    await people.getByRole('button', { name: 'Add or change somebody' }).click();
    await people.getByRole('row', { name: /ada looks/ }).waitFor();
    const tokens = page.getByRole('region', { name: 'Tokens for programs' });
    await tokens.getByLabel('Name').fill('till');
    await tokens.getByRole('button', { name: 'Make a token' }).click();
    const said = (await tokens.getByText('Shown this once').textContent()) ?? '';
    const token = said.split(' ').at(-1) ?? '';
    expect((await fleet.call('GET', '/api/nodes', undefined, { Authorization: `Bearer ${token}` })).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.getByLabel('Name').fill('ada');
    await enters(page);
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
    await fleet.call('DELETE', '/api/people/ada');
    // By no link: the page, which asks again by itself, may have taken it away by then.
    await page.goto(`${fleet.url}/#alerts`);
    await page.getByLabel('Password').waitFor();
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });

  it('asks to sign in again when the session has ended elsewhere', async () => {
    const { page, fleet } = await signedIn(async () => {});
    await fleet.call('PUT', '/api/password', { password: 'another horse battery' });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  });

  it('signs in at a provider, and tells a stranger why not', async () => {
    const client = { id: 'fleet', secret: 'secret' };
    const provider = await startProvider(client);
    const people = ['ada@example.org'];
    const fleet = await started({
      openid: { issuer: provider.issuer, client: client.id, secret: client.secret, people },
    });
    const { page } = await comes(fleet);
    provider.person = { sub: 'x', email: 'eve@example.org', email_verified: true };
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('You are not among the people who may sign in here.').waitFor();
    provider.person = { sub: 'x', email: 'ada@example.org', email_verified: true };
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('ada@example.org').waitFor();
    await page.getByText('Nodes that fit: 0').waitFor();
  });

  const fullOfThings = async (fleet: RunningFleet) => {
    await manyNodes(fleet);
    await fleet.call('PUT', '/api/nodes/node-007', { site: 'Graz', name: 'W'.repeat(64), notes: 'n'.repeat(500) });
    for (let at = 0; at < 60; at += 1) await fleet.call('PUT', `/api/sites/${at} ${'w'.repeat(60)}`, {});
    await fleet.beat(heartbeat({ node: 'W'.repeat(64), crash: { reason: 'w'.repeat(64), uptimeSeconds: 1 } }));
    await fleet.call('POST', '/heartbeat', '{');
    await fleet.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
    await fleet.call('POST', '/api/rollouts', { variant: 'wifi', version: '0.3.0' });
    await fleet.call('PUT', '/api/recipes', { text: '{"maker": "Acme", "rows": []}', note: 'n'.repeat(200) });
  };

  it('is for everybody, and full of things: it fits every screen, and axe finds nothing, light or dark', {
    timeout: 600_000,
  }, async () => {
    const { fleet, page, complaints } = await signedIn(fullOfThings, '', { locale: 'de-DE' });
    const misfits: string[] = [];
    for (const view of [...VIEWS, 'node/node-007', `node/${'W'.repeat(64)}`, 'rollout/1']) {
      await show(page, view);
      misfits.push(...(await misfitsOn(page)).map((fault) => `${view}, ${fault}`));
    }
    expect(misfits).toEqual([]);
    expect(complaints).toEqual([]);
    for (const [colorScheme, width, locale] of [
      ['light', 320, 'de'],
      ['dark', 1280, 'en'],
      ['light', 360, 'ar'],
    ] as const) {
      const look = { colorScheme, locale, viewport: { width, height: 800 } };
      const { page: other, complaints: others } = await comes(fleet, '', look);
      expect(await other.evaluate('document.documentElement.dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr');
      await enters(other);
      await bringAxe(other);
      for (const view of [...VIEWS, 'node/node-007', 'rollout/1']) {
        await show(other, view);
        expect(await violationsOn(other), `${view}, ${colorScheme}`).toEqual([]);
        expect(await other.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(width);
      }
      await other.locator('header button').click();
      await other.locator('input[type=password]').waitFor();
      expect(await violationsOn(other), `signed out, ${colorScheme}`).toEqual([]);
      expect(others).toEqual([]);
    }
  });

  it('is walked by keys alone: past the menu, to a filter, to a node', async () => {
    const { page } = await signedIn(manyNodes);
    await page.reload();
    await page.getByText('Nodes that fit: 120').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to Nodes');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Nodes that fit: 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'node-007' }).press('Enter');
    await page.locator('h2:focus').filter({ hasText: 'node-007' }).waitFor();
  });

  it('comes in each language, and its policy lets no other script or style in', async () => {
    const fleet = await started();
    const offered = languages.filter((each) => tablesIn('runtime/fleet/page/words')[each] !== undefined);
    expect(offered.length).toBeGreaterThan(7);
    for (const language of offered) {
      const { headers, text } = await fetch(`${fleet.url}/`, { headers: { 'Accept-Language': language } }).then(
        async (response) => ({ headers: response.headers, text: await response.text() }),
      );
      expect(text).toContain(`<html lang="${language}"`);
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
      );
      const again = { 'Accept-Language': language, 'If-None-Match': headers.get('etag') ?? '' };
      expect((await fetch(`${fleet.url}/`, { headers: again })).status).toBe(304);
    }
  });
});
