/** One browser for all tests of the page, in a profile of its own. */
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { BROWSER, needTools } from '../tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser is reached; '' where this machine has none. */
    readonly browser: string;
  }
}

const FLAGS = [
  ...[
    '--host-resolver-rules=MAP till.lan 127.0.0.1',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
  ],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const lacking = needTools([BROWSER]);
  if (lacking !== undefined) {
    console.warn(`test/page skipped: ${lacking}`);
    provide('browser', '');
    return undefined;
  }
  const server = await chromium.launchServer({ executablePath: `/usr/bin/${BROWSER}`, args: FLAGS });
  provide('browser', server.wsEndpoint());
  return () => server.close();
}
