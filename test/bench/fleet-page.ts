/** The fleet's page with ten thousand nodes: from a press on a filter to its nodes on the screen, over the query in psql. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { chromium, type Page } from 'playwright-core';
import { makeFleetPage } from '../../runtime/fleet/assembly/page.ts';
import { startFleet } from '../../runtime/fleet/fleet.ts';
import { servedOf } from '../../runtime/fleet/http/page.ts';
import { startPostgres } from '../fleet/postgres.ts';
import { BROWSER, needTools } from '../tools.ts';
import { alternate, type Entry } from './measure.ts';

const NODES = 10_000;
/** Every hundredth has no paper. */
const FOUND = NODES / 100;
const ROUNDS = 15;
const TOKEN = 'token-of-this-bench';

const FILL = `INSERT INTO node (id, variant, version, version_order, heartbeats, address, paper_out_since)
  SELECT 'node-' || lpad(n::text, 5, '0'), 'wifi', '0.1.0', '000000000.000000001.000000000~', 1, '192.0.2.1',
    CASE WHEN n % 100 = 0 THEN now() - interval '1 hour' END
  FROM generate_series(1, ${NODES}) AS n`;
const QUERY = `SELECT count(*) FROM node WHERE states @> ARRAY['no_paper'];
  SELECT id, variant, version, states, last_seen, heartbeats FROM node
  WHERE states @> ARRAY['no_paper'] ORDER BY id LIMIT 50`;

/** In the page: presses a button, and resolves with the milliseconds until this many nodes fit and the screen shows them. */
const pressed = (page: Page, button: string, fit: string) =>
  page.evaluate(
    `(async () => {
      const button = [...document.querySelectorAll('.choice button')].find((each) => each.textContent.startsWith(${JSON.stringify(button)}));
      const isShown = () => document.querySelector('main [role=status]')?.textContent === ${JSON.stringify(fit)};
      const begun = performance.now();
      button.click();
      while (!isShown()) await new Promise((resolve) => {
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(); });
        observer.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
        if (isShown()) resolve();
      });
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begun;
    })()`,
  ) as Promise<number>;

async function psql(url: string): Promise<number> {
  const begun = performance.now();
  const child = spawn('psql', ['-X', '-q', '-d', url, '-c', QUERY], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return performance.now() - begun;
}

/** Starts server, fleet and browser; one entry, in milliseconds. */
export async function fleetPageBench(): Promise<Entry[]> {
  const lacking = needTools([BROWSER, 'psql']);
  if (lacking !== undefined) throw new Error(lacking);
  const server = await startPostgres();
  const url = await server.database();
  const page = servedOf(await makeFleetPage());
  const fleet = await startFleet({ token: TOKEN, host: '127.0.0.1', port: 0, database: { url }, page });
  const browser = await chromium.launch({
    executablePath: `/usr/bin/${BROWSER}`,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const tables = new pg.Client(url);
    await tables.connect();
    await tables.query(FILL);
    await tables.query('VACUUM ANALYZE node');
    await tables.end();
    const tab = await browser.newPage({ locale: 'en' });
    await tab.goto(fleet.url);
    await tab.getByLabel('Master token').fill(TOKEN);
    await tab.getByLabel('New password').fill('a password of this bench');
    await tab.getByRole('button', { name: 'Set the password' }).click();
    // The states of nodes are brought up to date once a second.
    await tab.getByRole('button', { name: `No paper for 10 min ${FOUND}` }).waitFor();
    const all = `Nodes that fit: ${NODES.toLocaleString('en')}`;
    const ours = async () => {
      const took = await pressed(tab, 'No paper', `Nodes that fit: ${FOUND}`);
      await pressed(tab, 'All', all);
      return took;
    };
    await ours();
    const medians = await alternate(ROUNDS, ours, () => psql(url));
    return [{ name: 'fleet.page', ratio: medians.ours / medians.theirs, ...medians, unit: 'ms' }];
  } finally {
    await browser.close();
    await fleet.stop();
    await server.stop();
  }
}
