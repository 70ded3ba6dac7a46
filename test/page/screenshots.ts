/**
 * `npm run screenshots`: takes the pictures of the page that documents show anew, from the twin, in Debian's Chromium. They are in the npm package,
 * too: `zopflipng -y FILE FILE` makes them a quarter smaller, dot for dot.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { MAIN } from '../../runtime/image/compiled.ts';
import { start } from '../child.ts';
import { BROWSER } from '../tools.ts';

const FOLDER = 'runtime/page/screenshots';
/** Width of a window, as a laptop has it; the pictures are smaller, as documents show them. */
const WIDTH = 1100;
const SCALE = 0.8;
/** Where a node of a shop listens: the pictures show it. */
const [PORT, RAW_PORT] = [8080, 9100];
const URL = `http://127.0.0.1:${PORT}`;

interface Picture {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly panel: string;
  readonly language: string;
  readonly height: number;
  /** State of the twin's printer, for PUT /twin/printer. */
  readonly printer: object;
  /** Is done on the page, and resolves when it shows what the picture is of. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const noPaper = { height: 1000, printer: { paper: 'out' } };
const isBad = (page: Page) => page.locator('header .bad').waitFor();
const PICTURES: readonly Picture[] = [
  { ...noPaper, name: 'overview', panel: 'overview', language: 'en', ready: isBad },
  { ...noPaper, name: 'overview-ar', panel: 'overview', language: 'ar', ready: isBad },
  {
    ...{ name: 'receipt', panel: 'receipt', language: 'en', height: 1500, printer: { paper: 'ok' } },
    async ready(page) {
      await page.locator('header .state .good').waitFor();
      await page.getByLabel('Edit as JSON').check();
      await page.getByRole('button', { name: 'Cafe', exact: true }).click();
      await page.getByRole('region', { name: 'Preview' }).locator('img.drawing').waitFor();
    },
  },
];

const put = (path: string, body: object): Promise<unknown> =>
  fetch(`${URL}${path}`, { method: 'PUT', body: JSON.stringify(body) });

const state = mkdtempSync(join(tmpdir(), 'tillnode-screenshots-'));
const listening = ['--host', '127.0.0.1', '--port', `${PORT}`, '--raw-port', `${RAW_PORT}`, '--ipp-port', '0'];
const twin = start(`dist/twin/${MAIN}`, [...listening, '--state', state]);
const browser = await chromium.launch({
  executablePath: `/usr/bin/${BROWSER}`,
  args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP till.lan 127.0.0.1'],
});

async function take({ name, panel, language, height, printer, ready }: Picture): Promise<void> {
  await put('/twin/printer', printer);
  const viewport = { width: WIDTH, height };
  const context = await browser.newContext({ locale: 'en-GB', viewport, deviceScaleFactor: SCALE });
  const page = await context.newPage();
  const url = `http://till.lan:${PORT}`;
  await context.addCookies([{ name: 'tillnode-language', value: language, url }]);
  await page.goto(`${url}/#${panel}`);
  await page.locator('header .link .good').waitFor();
  await ready(page);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}

try {
  await twin.line('raw');
  await put('/name', { name: 'Till 1' });
  for (const picture of PICTURES) await take(picture);
} finally {
  await browser.close();
  await twin.end();
  rmSync(state, { recursive: true, force: true });
}
