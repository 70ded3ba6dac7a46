/** Start and rest, beside Node itself. */
import { once } from 'node:events';
import { alternate, type Entry, rssOf, start } from './measure.ts';
import { startTwin } from './twin.ts';

/** Many: a start is short, and on a shared machine one in three may take half as long again. */
const ROUNDS = 41;

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
  ];
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 1500));
