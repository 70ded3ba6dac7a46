/** The built command line, and a twin of its own that its commands go to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';

const CLI = 'dist/twin/cli.js';

export interface OnTwin {
  readonly client: NodeClient;
  /** A folder that is gone after the tests. */
  readonly scratch: string;
  /** Runs a command on the twin, which is named without a scheme. */
  run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

/** For the tests of a file: a twin that is there from before the first to after the last. */
export function onTwin(): OnTwin {
  const scratch = mkdtempSync(join(tmpdir(), 'tillnode-cli-'));
  let host = '';
  let client: NodeClient | undefined;
  let end = async (): Promise<unknown> => undefined;
  beforeAll(async () => {
    const args = [CLI, '--port', '0', '--raw-port', '0', '--state', join(scratch, 'state')];
    const twin = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    end = () => {
      twin.kill('SIGTERM');
      return once(twin, 'close');
    };
    const [line] = (await once(createInterface({ input: twin.stdout }), 'line')) as [string];
    client = new NodeClient({ url: line.replace('ready ', '') });
    host = line.replace('ready http://', '');
  }, 60_000);
  afterAll(async () => {
    await end();
    rmSync(scratch, { recursive: true, force: true });
  });
  return {
    scratch,
    get client() {
      if (client === undefined) throw new Error('the twin has not started');
      return client;
    },
    async run(...args) {
      const child = spawn(process.execPath, [CLI, '--node', host, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code: code as number, out, err };
    },
  };
}
