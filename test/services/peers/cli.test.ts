/** `tillnode name` and `find`, beside a twin, each a host of its own on one network. */
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';
import { createNetwork, type Host } from '../../netns.ts';
import { until } from '../../node.ts';
import { needRoot, needTools } from '../../tools.ts';

const own = onTwin();

it('tillnode name gives the node a name, which status shows', async () => {
  expect(await own.run('name')).toMatchObject({ code: 0, out: 'it has no name\n' });
  expect(await own.run('name', 'Till 1')).toMatchObject({ code: 0, out: 'Till 1\n' });
  expect((await own.run('status')).out).toMatch(/^Till 1 \(node-[0-9a-f]{8}\) at http:/);
});

it('tillnode find gives a list, within its time', async () => {
  expect(await own.run('find', '--json', '--timeout', '0.1')).toMatchObject({ code: 0, out: '[]\n' });
});

const missing = needRoot() ?? needTools(['ip']);
const CLI = resolve('dist/twin/cli.js');

/** A twin on its host's network, and a host beside it. */
async function startTwin(): Promise<{ readonly twin: Host; readonly beside: Host }> {
  const network = createNetwork(2);
  const state = mkdtempSync(join(tmpdir(), 'tillnode-find-'));
  onTestFinished(async () => {
    await network.remove();
    rmSync(state, { recursive: true });
  });
  const [twin, beside] = network.hosts as [Host, Host];
  const child = twin.spawn(process.execPath, [CLI, 'twin', '--host', '0.0.0.0', '--port', '80', '--state', state]);
  await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  return { twin, beside };
}

describe.skipIf(missing)(`on one network${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('a node is found by its beacon, and answers where it was found', async () => {
    const { twin, beside } = await startTwin();
    const find = (...args: readonly string[]) => beside.run(process.execPath, CLI, 'find', ...args);
    const [node, ...others] = JSON.parse(find('--json')) as [Record<string, unknown>];
    expect(others).toEqual([]);
    expect(node).toMatchObject({ address: twin.address, url: `http://${twin.address}:80`, variant: 'twin' });
    expect(node?.['ipp']).toEqual([expect.stringMatching(new RegExp(`^ipp://${twin.address}:\\d+/ipp/print$`))]);
    const status = beside.run(process.execPath, CLI, 'status', '--json', '--node', String(node['url']));
    expect(JSON.parse(status)).toMatchObject({ identity: { deviceId: node['id'] } });
    expect(find()).toMatch(new RegExp(`${node['id']} .*http://${twin.address}:80 .*twin`));
  });

  it('a copied card is told by both, on paper too, and the copy becomes a new node', async () => {
    const network = createNetwork(2);
    const state = mkdtempSync(join(tmpdir(), 'tillnode-copy-'));
    onTestFinished(async () => {
      await network.remove();
      rmSync(state, { recursive: true });
    });
    const start = async (host: Host, own: string) => {
      const args = [CLI, 'twin', '--host', '0.0.0.0', '--port', '80', '--state', join(state, own)];
      const child = host.spawn(process.execPath, args);
      await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
      return child;
    };
    const [one, two] = network.hosts as [Host, Host];
    const first = await start(one, 'one');
    first.kill('SIGTERM');
    await once(first, 'exit');
    cpSync(join(state, 'one'), join(state, 'two'), { recursive: true });
    await start(one, 'one');
    const copy = await start(two, 'two');
    const at = (host: Host, ...args: readonly string[]) =>
      host.run(process.execPath, CLI, ...args, '--node', `http://${host.address}:80`);
    for (const [host, other] of [
      [one, two],
      [two, one],
    ] as const) {
      await until(() => at(host, 'identity').includes(`other devices have it, too: ${other.address}`));
      await until(() => host.run('curl', '-s', `http://${host.address}/twin/paper.txt`).includes('Two nodes with one'));
    }
    const renewed = /node-([0-9a-f]{8})$/m.exec(at(two, 'identity', 'new'))?.[1] ?? '';
    copy.kill('SIGTERM');
    await once(copy, 'exit');
    await start(two, 'two');
    expect(at(two, 'identity').trim()).toBe(renewed);
    await until(() => !at(one, 'identity').includes('other devices'));
  }, 120_000);
});
