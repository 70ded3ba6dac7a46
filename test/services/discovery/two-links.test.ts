/** Whole nodes whose links hear each other, in network namespaces, and what avahi sees of them (RFC 6762, 14). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNetwork, type Host, type Network } from '../../netns.ts';
import { until } from '../../node.ts';
import { needRoot, needTools } from '../../tools.ts';
import { type Avahi, startAvahi } from './avahi.ts';
import { buildNode, startNode } from './children.ts';

const missing = needRoot() ?? needTools(['avahi-daemon', 'avahi-browse', 'dbus-daemon', 'ip']);
const PDL = '_pdl-datastream._tcp';
const ID = '1a2b3c4d';
const GENERIC = `Receipt Printer node-${ID}`;
const EPSON = `EPSON TM-T88V node-${ID}`;

describe.skipIf(missing !== undefined)(missing ? `a node with two links ${missing}` : 'a node with two links', () => {
  let network: Network;
  const avahis: Avahi[] = [];
  const host = (index: number) => network.hosts[index] as Host;
  const listen = async (index: number, name: string, reflects = false) => {
    const avahi = await startAvahi(host(index), name, { reflects });
    avahis.push(avahi);
    return avahi;
  };
  beforeAll(buildNode, 120_000);
  afterEach(async () => {
    await network.remove();
    for (const avahi of avahis.splice(0)) avahi.remove();
  });
  const ask = (index: number, to: string, method: string, path: string, body?: string) =>
    JSON.parse(
      host(index).run(
        process.execPath,
        '-e',
        `fetch('http://${to}${path}', ${JSON.stringify({ method, body })}).then(async (r) => console.log(JSON.stringify({ status: r.status, body: await r.json() })))`,
      ),
    ) as { status: number; body: { discovery?: object; error?: string } };

  it.each(['::', '0.0.0.0'])(
    'on one network is found by its first name on both, and switches its profile: --host %s',
    async (listening) => {
      network = createNetwork(2);
      const [first, second] = [host(1).address, network.plug(host(1), 'lan1', 0)];
      const avahi = await listen(0, 'elsewhere');
      const node = await startNode(host(1), listening, ID);
      expect(node.name).toBe(`node-${ID}.local`);
      const seen = avahi.follow(PDL);
      await until(() => seen.includes(`+ ${GENERIC}`));
      expect([first, second]).toContain(avahi.resolve('-4n', `node-${ID}.local`).split('\t')[1]);
      for (const address of [first, second]) {
        expect(ask(0, address, 'GET', '/status').body.discovery).toMatchObject({
          state: 'announced',
          instance: GENERIC,
        });
      }
      expect(ask(0, first, 'PUT', '/config', '{"profile":"epson-tm-t88v"}')).toMatchObject({ status: 200 });
      await until(() => seen.includes(`- ${GENERIC}`) && seen.includes(`+ ${EPSON}`));
    },
    60_000,
  );

  it.each(['::', '0.0.0.0'])(
    'on two networks behind a reflector keeps its names, and switches its profile: --host %s',
    async (listening) => {
      network = createNetwork(3, 2);
      network.plug(host(1), 'lan1', 1);
      network.plug(host(2), 'lan1', 1);
      const avahi = await listen(0, 'elsewhere');
      await listen(2, 'reflector', true);
      const node = await startNode(host(1), listening, ID);
      expect(node.name).toBe(`node-${ID}.local`);
      const seen = avahi.follow(PDL);
      await until(() => seen.includes(`+ ${GENERIC}`));
      expect(ask(0, host(1).address, 'PUT', '/config', '{"profile":"epson-tm-t88v"}')).toMatchObject({ status: 200 });
      await until(() => seen.includes(`+ ${EPSON}`));
      expect(ask(0, host(1).address, 'GET', '/status').body.discovery).toMatchObject({
        state: 'announced',
        name: `node-${ID}.local`,
        instance: EPSON,
      });
    },
    60_000,
  );
});
