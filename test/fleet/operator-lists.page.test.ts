/** The long lists of the page of operators, in a browser. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { eventually } from '../page/twin.ts';
import { describeOperators } from './operators.ts';

describeOperators('the page of operators', ({ signedIn }) => {
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

  it('shows a list of 100,000 that scrolls to its end, and asks for what is seen alone', async () => {
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
  ] as const)(
    'shows 100,000 of the %s that scroll to their end, and asks for what is seen alone',
    async (_, hash, told, insert, cellOf, column) => {
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
    },
  );
});
