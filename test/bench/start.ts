/** Start and rest, beside Node itself. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../child.ts';
import { alternate, type Entry, median, rssOf } from './measure.ts';
import { printCommand } from './receipt.ts';
import { startTwin } from './twin.ts';

/** Many: a start is short, and on a shared machine one in three may take half as long again. */
const ROUNDS = 41;
/** A shop waits no longer than this for a node that is started again. */
const RESTART_MS = 500;
const RESTARTS = 11;

export async function startBench(): Promise<Entry[]> {
  const ready = (variant: string) => async () => {
    const started = performance.now();
    const { child } = await startTwin({ variant });
    const took = performance.now() - started;
    await child.end();
    return took;
  };
  const bare = async () => {
    const started = performance.now();
    await once(start('-e', ['0']).process, 'exit');
    return performance.now() - started;
  };
  await ready('twin')();
  await bare();
  const twin = await alternate(ROUNDS, ready('twin'), bare);
  const wifi = await alternate(ROUNDS, ready('wifi'), bare);
  const rss = await alternate(
    3,
    async () => {
      const { child } = await startTwin();
      await rest();
      const bytes = rssOf(child.pid);
      await child.end();
      return bytes;
    },
    async () => {
      const child = start('-e', ['setInterval(() => {}, 1e6); console.log("up 1")']);
      await child.line('up');
      await rest();
      const bytes = rssOf(child.pid);
      child.process.kill('SIGKILL');
      return bytes;
    },
  );
  const restart = await restarts();
  return [
    { name: 'start.vs.node', ratio: twin.ours / twin.theirs, ...twin, unit: 'ms' },
    { name: 'start.wifi.vs.node', ratio: wifi.ours / wifi.theirs, ...wifi, unit: 'ms' },
    {
      name: 'idle.rss.vs.node',
      ratio: rss.ours / rss.theirs,
      ours: rss.ours / 2 ** 20,
      theirs: rss.theirs / 2 ** 20,
      unit: 'MB',
    },
    { name: 'restart.printing', ratio: restart / RESTART_MS, ours: restart, theirs: RESTART_MS, unit: 'ms' },
  ];
}

/** Milliseconds from the end that a service manager asks for to the answer of the next print; the median of some. */
async function restarts(): Promise<number> {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const started = () => startTwin({ file: 'launcher', state });
  const took: number[] = [];
  let { child } = await started();
  for (let round = 0; round < RESTARTS; round += 1) {
    const from = performance.now();
    await child.end();
    const next = await started();
    const answer = await fetch(`http://127.0.0.1:${next.port}/print`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: printCommand(),
    });
    took.push(performance.now() - from);
    if (answer.status !== 200) throw new Error(`print: ${answer.status} ${await answer.text()}`);
    child = next.child;
  }
  await child.end();
  rmSync(state, { recursive: true, force: true });
  return median(took);
}

/** At rest V8 collects by itself what a start has left behind, within ten seconds. */
const REST_MS = 15_000;
const rest = () => new Promise((resolve) => setTimeout(resolve, REST_MS));
