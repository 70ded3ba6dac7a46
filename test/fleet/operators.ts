/** The fleet's page in a browser, and somebody who is signed in. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { makeFleetPage } from '../../runtime/fleet/assembly/page.ts';
import { servedOf } from '../../runtime/fleet/http/page.ts';
import { eventually, type Visit, type VisitOptions, visit } from '../page/twin.ts';
import { databases, EITHER, fleetOn, heartbeat, printer, type RunningFleet } from './fleet.ts';
import { PASSWORD } from './signing-in.ts';

const endpoint = inject('browser');

/** Gives the password, and waits until the menu is there. */
export const enters = async (page: Page) => {
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('main button[type=submit]').click();
  await page.locator('nav.panels a').first().waitFor({ state: 'attached' });
};

/** Goes to a view, and waits until what it asks for has come. */
export const show = async (page: Page, hash: string) => {
  await page.evaluate(`location.hash = '#${hash}'`);
  await page.locator('main .card').first().waitFor();
  await eventually(async () => (await page.locator('main .asking').count()) === 0);
};

/** 120 nodes of two versions, of which one has no paper. */
export const manyNodes = async (fleet: RunningFleet) => {
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

/** What a test has: `started` gives a fleet, `comes` somebody who looks at one, `signedIn` both. */
export interface Operators {
  started(options?: object): Promise<RunningFleet>;
  comes(fleet: RunningFleet, hash?: string, options?: VisitOptions): Promise<Visit>;
  /** A fleet whose password is set, and somebody who is signed in. */
  signedIn(
    seed: (fleet: RunningFleet) => Promise<unknown>,
    hash?: string,
    options?: VisitOptions,
  ): Promise<Visit & { readonly fleet: RunningFleet }>;
}

let made: ReturnType<typeof makeFleetPage> | undefined;
const madeOnce = () => {
  made ??= makeFleetPage();
  return made;
};

/** Describes the page of operators, where there is a browser. */
export const describeOperators = (name: string, describes: (operators: Operators) => void): unknown =>
  describe.skipIf(endpoint === '')(name, () => {
    const database = databases(EITHER[0]);
    const shop: { browser?: Browser } = {};
    beforeAll(async () => {
      shop.browser = await chromium.connect(endpoint);
    });
    afterEach(async () => {
      for (const context of shop.browser?.contexts() ?? []) await context.close();
    });
    afterAll(() => shop.browser?.close());

    const started = async (options: object = {}) =>
      fleetOn(await database(), { page: servedOf(await madeOnce()), ...options });
    const comes = (fleet: RunningFleet, hash = '', options: VisitOptions = {}): Promise<Visit> =>
      visit(shop.browser!, `${fleet.url}/${hash}`, options);
    const signedIn = async (seed: (fleet: RunningFleet) => Promise<unknown>, hash = '', options: VisitOptions = {}) => {
      const fleet = await started();
      await fleet.call('PUT', '/api/password', { password: PASSWORD });
      await seed(fleet);
      const visited = await comes(fleet, hash, options);
      await enters(visited.page);
      return { fleet, ...visited };
    };

    describes({ started, comes, signedIn });
  });
