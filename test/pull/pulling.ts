/** The program in this process, beside a node with a virtual printer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Credentials } from '../../runtime/pull/authentication.ts';
import { type PullOptions, readOptions } from '../../runtime/pull/options.ts';
import { folderOf, pull } from '../../runtime/pull/pull.ts';

export interface Pulling {
  readonly state: string;
  readonly log: string[];
  stop(): Promise<void>;
}

/** Starts it; resolves when the server was asked once. It is stopped at the end of the test. `credentials`: as of a file. */
export async function startPull(
  options: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  state = stateFolder(),
  credentials?: Credentials,
): Promise<Pulling> {
  const args = Object.entries({ every: '1', state, ...options }).flatMap(([name, value]) => [`--${name}`, value]);
  const controller = new AbortController();
  const log: string[] = [];
  let running: Promise<void> | undefined;
  await new Promise<void>((ready, fail) => {
    const told = { log: (line: string) => void log.push(line), ready };
    running = pull(eager(readOptions([...args, ...flags], {}), credentials), told, controller.signal);
    running.then(ready, fail);
  });
  const stop = async () => {
    controller.abort();
    await running;
  };
  onTestFinished(stop);
  return { state, log, stop };
}

/** Asks more often than an operator may. */
const eager = (options: PullOptions, credentials: Credentials | undefined): PullOptions => ({
  ...options,
  servers: options.servers.map((each) => ({ ...each, everyMs: 20, credentials })),
});

/** Where the state of a server is, in the folder of the program. */
export const stateOf = (state: string, { server, id = 'local_printer' }: { server: string; id?: string }): string =>
  join(state, folderOf({ server: new URL(server), protocol: 'sdp', id }));

/** Has what is held in the state of a server have come so much earlier. */
export function letPass(state: string, ms: number): void {
  const file = join(state, 'journal.ndjson');
  const lines = readFileSync(file, 'utf8').split('\n');
  const earlier = lines.map((line) =>
    line.includes('"isHeld":true') ? line.replace(/"up":(\d+)/, (_, up) => `"up":${Number(up) - ms}`) : line,
  );
  writeFileSync(file, earlier.join('\n'));
}

export function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pull-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
