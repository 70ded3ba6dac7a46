/** The built command line, and a built twin of its own that its commands go to, in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { startTwin, Twin } from '../../runtime/node/twin.ts';
import { runHere, type Said } from './in-process.ts';

const TESTING = String(pathToFileURL(resolve('dist/twin/testing.js')));

export interface OnTwin {
  readonly client: Twin['client'];
  /** A folder that is gone after the tests. */
  readonly scratch: string;
  /** Runs a command on the twin, which is named without a scheme. */
  run(...args: readonly string[]): Promise<Said>;
}

/** For the tests of a file: a twin that is there from before the first to after the last. */
export function onTwin(): OnTwin {
  const scratch = mkdtempSync(join(tmpdir(), 'tillnode-cli-'));
  let twin: Twin | undefined;
  beforeAll(async () => {
    const built = (await import(TESTING)) as { startTwin: typeof startTwin };
    twin = await built.startTwin();
  });
  afterAll(async () => {
    await twin?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });
  const running = () => {
    if (twin === undefined) throw new Error('the twin has not started');
    return twin;
  };
  return {
    scratch,
    get client() {
      return running().client;
    },
    run: (...args) => runHere(['--node', running().url.replace('http://', ''), ...args]),
  };
}
