/** Whole nodes in network namespaces of their own, on one bridge, with the intervals they ship with. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createNetwork, type Host } from '../../netns.ts';
import { until } from '../../node.ts';
import { needRoot, needTools } from '../../tools.ts';

const missing = needRoot() ?? needTools(['ip']);

interface Listed {
  readonly name: string;
  readonly address: string;
}

let directory = '';
let bundle = '';
beforeAll(async () => {
  // Inside the tree, so that packages are found.
  await mkdir('.cache', { recursive: true });
  directory = await mkdtemp(join(process.cwd(), '.cache/peers-'));
  bundle = join(directory, 'node.mjs');
  const entryPoints = [join(import.meta.dirname, 'children/node.ts')];
  await build({ entryPoints, bundle: true, format: 'esm', platform: 'node', packages: 'external', outfile: bundle });
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The lists of a node, the newest last. */
function startNode(host: Host, name: string, listen = '0.0.0.0') {
  const lists: Listed[][] = [];
  const child = host.spawn(process.execPath, [bundle, listen, name]);
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    lists.push(JSON.parse(line) as Listed[]),
  );
  return { child, lists, list: () => lists.at(-1) };
}

describe.skipIf(missing).concurrent(`on one network${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('three nodes list one another, and forget the one that died', async ({ expect, onTestFinished }) => {
    const network = createNetwork(3);
    onTestFinished(() => network.remove());
    const nodes = network.hosts.map((host, index) => ({ host, ...startNode(host, `Till ${index}`) }));
    const others = (self: Host, alive = network.hosts) =>
      alive
        .filter((host) => host !== self)
        .map(({ address, name: _name }) => ({
          id: expect.stringMatching(/^[0-9a-f]{8}$/),
          name: `Till ${network.hosts.findIndex((host) => host.address === address)}`,
          address,
          variant: 'twin',
          firmwareVersion: '0.0.0-test',
          httpPort: 80,
        }));
    const named = (list: Listed[] | undefined, count: number) =>
      list?.length === count && list.every(({ name }) => name !== '');
    await until(() => nodes.every(({ list }) => named(list(), 2)));
    for (const { host, list } of nodes) expect(list()).toEqual(others(host));

    const [survivor, other, dead] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
    dead.child.kill('SIGKILL');
    await until(() => named(survivor.list(), 1) && named(other.list(), 1));
    expect(survivor.list()).toEqual(others(survivor.host, [survivor.host, other.host]));
  }, 60_000);

  it('a node that listens on one address neither speaks nor hears on the links beside it', async ({
    expect,
    onTestFinished,
  }) => {
    const network = createNetwork(2);
    onTestFinished(() => network.remove());
    const [machine, neighbour] = network.hosts as [Host, Host];
    machine.run('ip', 'link', 'add', 'side0', 'type', 'veth', 'peer', 'name', 'side1');
    machine.run('ip', 'address', 'add', '10.78.0.1/24', 'broadcast', '+', 'dev', 'side0');
    for (const end of ['side0', 'side1']) machine.run('ip', 'link', 'set', end, 'up');
    const aside = startNode(machine, 'aside', '10.78.0.1');
    await until(() => aside.lists.length > 0);
    // The second beacon of each brings the names: the node aside has had its turn by then.
    const there = startNode(machine, 'there', machine.address);
    const wide = startNode(neighbour, 'wide');
    const names = ({ list }: typeof wide) => list()?.map(({ name }) => name);
    await until(() => names(wide)?.[0] === 'there' && names(there)?.[0] === 'wide');
    expect(aside.lists).toEqual([[]]);
    expect(wide.lists.flat().map(({ name }) => name)).not.toContain('aside');
    expect(there.list()).toHaveLength(1);
  }, 60_000);
});
