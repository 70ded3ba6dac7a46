/** The built twin in a process of its own, and the page that it serves in a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { freePort } from '../ports.ts';

export interface Twin {
  readonly url: string;
  /** The number of its port 9100. */
  readonly rawPort: number;
  /** The JSON of the answer. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: object, key?: string): Promise<T>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

export async function startTwin({ port, state }: { port?: number; state?: string } = {}): Promise<Twin> {
  const directory = state ?? mkdtempSync(join(tmpdir(), 'tillnode-page-'));
  const ports = ['--port', `${port ?? (await freePort())}`, '--raw-port', `${await freePort()}`];
  const args = ['--host', '127.0.0.1', ...ports, '--state', directory];
  const child = spawn(process.execPath, ['dist/twin/main.js', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let url = '';
  let raw = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready ')) url = line.slice('ready '.length);
    if (line.startsWith('raw ')) raw = line.slice('raw '.length);
    if (url !== '' && raw !== '') break;
  }
  if (url === '') throw new Error('the twin did not start');
  child.stdout.resume();
  return {
    url,
    rawPort: Number(raw.split(':')[1]),
    async call<T>(method: string, path: string, body?: object, key?: string) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: key === undefined ? {} : { 'X-NODE-Api-Key': key },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as T;
    },
    signal: (name) => child.kill(name),
    async stop() {
      if (child.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      if (state === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A shop is told within 6 s what has changed: `SOON_MS=6000` asks for that, on a machine that does nothing else. */
export const SOON_MS = Number(process.env['SOON_MS'] ?? 45_000);

/** Shows the page again in the language that its menu would choose: another visitor is another process of the browser. */
export async function turnTo(page: Page, language: string): Promise<void> {
  await page.context().addCookies([{ name: 'tillnode-language', value: language, url: page.url() }]);
  await page.reload();
}

/** Panels of the twin, as they stand in the menu. */
export const panelsOf = (page: Page): Promise<string[]> =>
  page
    .locator('nav a[href^="#"]')
    .evaluateAll((links) => links.map((link) => String(link.getAttribute('href')).slice(1)));

/** Goes to a panel. */
export async function show(page: Page, panel: string): Promise<void> {
  await page.evaluate(`location.hash = '#${panel}'`);
  await page.locator(`nav a[href="#${panel}"][aria-current=page]`).waitFor({ state: 'attached' });
  // What it asks the node for is there.
  await page.locator('main .asking').waitFor({ state: 'hidden' });
}

/** The header says that the node tells this page what happens. */
export const isLive = (page: Page): Promise<void> => page.locator('header .link .good').waitFor();

export interface Visit {
  readonly page: Page;
  /** What the console complained of: a policy that was violated stands there, and an error nobody caught. */
  readonly complaints: string[];
}

export interface Shop {
  readonly twin: Twin;
  readonly browser: Browser;
  /** A new visitor, who remembers nothing. */
  visit(hash: string, options?: VisitOptions): Promise<Visit>;
}

/** A twin and a browser for the tests of one file; `tell` gets them before the first of them. */
export function describeWithPage(name: string, tests: (shop: Shop) => void): void {
  const endpoint = inject('browser');
  describe.skipIf(endpoint === '')(name, () => {
    const shop: { twin?: Twin; browser?: Browser } = {};
    beforeAll(async () => {
      shop.twin = await startTwin();
      shop.browser = await chromium.connect(endpoint);
    });
    // A visitor that a failed test left behind would keep its slot.
    afterEach(async () => {
      for (const context of shop.browser?.contexts() ?? []) await context.close();
    });
    afterAll(async () => {
      await shop.browser?.close();
      await shop.twin?.stop();
    });
    tests({
      get twin() {
        return shop.twin!;
      },
      get browser() {
        return shop.browser!;
      },
      visit: (hash, options) => visit(shop.browser!, `${shop.twin?.url}/#${hash}`, options),
    });
  });
}

export interface VisitOptions extends BrowserContextOptions {
  /** The page's clock can be moved forward. */
  readonly clock?: boolean;
  /** Done with the empty page, before it goes to the node. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export async function visit(
  browser: Browser,
  url: string,
  { clock, before, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  if (clock) await page.clock.install();
  page.setDefaultTimeout(45_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A refusal of the node is no fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await before?.(page);
  await page.goto(url);
  return { page, complaints };
}

/** The field of the receipt's lines as JSON, which is behind a switch. */
export async function linesAsJson(page: Page): Promise<Locator> {
  await page.getByLabel('Edit as JSON').check();
  return page.getByLabel('Lines', { exact: true });
}

/** Time goes by for the page: it looks at its node again, as it does each 2 s. Needs `clock`. */
export async function timePasses(page: Page): Promise<void> {
  const answers = ['/status', '/config'].map((path) =>
    page.waitForResponse((response) => new URL(response.url()).pathname === path),
  );
  await page.clock.fastForward(3000);
  await Promise.all(answers);
}

/** Lets time go by until it is shown. */
export async function showsInTime(page: Page, place: Locator): Promise<void> {
  await eventually(async () => {
    await timePasses(page);
    return place.isVisible();
  });
}

/** Asks until it is so; the project's timeout ends it. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
