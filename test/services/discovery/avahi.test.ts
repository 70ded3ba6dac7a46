/** Whole nodes in network namespaces, and what avahi, the resolver of most Linux machines, sees of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNetwork, type Host, type Network } from '../../netns.ts';
import { until } from '../../node.ts';
import { needRoot, needTools } from '../../tools.ts';
import { type Avahi, startAvahi } from './avahi.ts';
import { buildNode, type Started, startNode } from './children.ts';

const missing = needRoot() ?? needTools(['avahi-daemon', 'avahi-browse', 'dbus-daemon', 'ip']);
const PDL = '_pdl-datastream._tcp';
const ID = '1a2b3c4d';
/** Id of a node whose names somebody else has already. */
const LATE_ID = '5e6f7a8b';
const GENERIC = `Receipt Printer node-${ID}`;
const EPSON = `EPSON TM-T88V node-${ID}`;

// One thing after the other happens to the same nodes.
describe.skipIf(missing !== undefined)(missing ? `beside avahi ${missing}` : 'beside avahi', { shuffle: false }, () => {
  let network: Network;
  let avahi: Avahi;
  let node: Started;
  let late: Started;
  const host = (index: number) => network.hosts[index] as Host;
  const resolves = (...args: readonly string[]) => avahi.resolve(...args).split('\t')[1];

  beforeAll(async () => {
    network = createNetwork(3);
    await buildNode();
    avahi = await startAvahi(host(0), 'elsewhere');
    await Promise.all([
      avahi.publish('-a', '-R', `node-${LATE_ID}.local`, host(0).address),
      avahi.publish('-s', `Receipt Printer node-${LATE_ID}`, PDL, '515'),
    ]);
    [node, late] = await Promise.all([
      startNode(host(1), '::', ID),
      startNode(host(2), '::', LATE_ID, ['receipt', 'kitchen']),
    ]);
  }, 120_000);
  afterAll(async () => {
    await network.remove();
    avahi.remove();
  });

  it('a node is found by its services, with the records of its profile, at its own address', async () => {
    const seen = avahi.follow(PDL);
    expect(node.name).toBe(`node-${ID}.local`);
    await until(() => seen.includes(`+ ${GENERIC}`));
    const found = avahi.browse(PDL).filter(({ instance }) => instance === GENERIC);
    expect(found.map(({ family }) => family).sort()).toEqual(['IPv4', 'IPv6']);
    for (const { host: target, port, txt } of found) {
      expect([target, port]).toEqual([`node-${ID}.local`, 9100]);
      expect(txt.slice(0, 4)).toEqual(['txtvers=1', 'qtotal=1', 'rp=', 'ty=Generic ESC/POS Receipt Printer']);
      expect(txt).toContain(`adminurl=http://node-${ID}.local/`);
    }
    const page = avahi.browse('_http._tcp').find(({ instance }) => instance === GENERIC);
    expect(page).toMatchObject({ port: 80, txt: ['path=/'], address: host(1).address });
  });

  it('a node whose names somebody else has takes the next ones', async () => {
    expect(late.name).toBe(`node-${LATE_ID}-2.local`);
    const seen = avahi.follow(PDL);
    await until(() => seen.includes(`+ Receipt Printer node-${LATE_ID} (2)`));
    expect(resolves('-4n', `node-${LATE_ID}.local`)).toBe(host(0).address);
    expect(resolves('-4n', `node-${LATE_ID}-2.local`)).toBe(host(2).address);
  });

  it('a second printer is found beside the first, at its own port, under a name of its own', async () => {
    const names = [`Receipt Printer node-${LATE_ID} (2)`, `Receipt Printer kitchen node-${LATE_ID}`];
    const seen = avahi.follow(PDL);
    await until(() => names.every((name) => seen.includes(`+ ${name}`)));
    const found = avahi.browse(PDL).filter(({ family, host: target }) => family === 'IPv4' && target.includes(LATE_ID));
    const places = found.map(({ instance, host: target, address, port, txt }) => ({
      ...{ instance, target, address, port },
      note: txt.find((text) => text.startsWith('note=')),
    }));
    const target = `node-${LATE_ID}-2.local`;
    expect(places.sort((a, b) => a.port - b.port)).toEqual([
      { instance: names[0], target, address: host(2).address, port: 9100, note: `note=node-${LATE_ID}, receipt` },
      { instance: names[1], target, address: host(2).address, port: 9101, note: `note=node-${LATE_ID}, kitchen` },
    ]);
    expect(
      avahi.browse('_http._tcp').filter(({ host: on, family }) => family === 'IPv4' && on === target),
    ).toHaveLength(1);
  });

  it('a switch of profile is seen as the old name going and the new one coming', async () => {
    const seen = avahi.follow(PDL);
    await until(() => seen.includes(`+ ${GENERIC}`));
    const put = `fetch('http://${host(1).address}/config', { method: 'PUT', body: '{"profile":"epson-tm-t88v"}' }).then(({ status }) => process.exit(status === 200 ? 0 : 1))`;
    host(1).run(process.execPath, '-e', put);
    await until(() => seen.includes(`- ${GENERIC}`) && seen.includes(`+ ${EPSON}`));
    const [found] = avahi.browse(PDL).filter(({ instance }) => instance === EPSON);
    expect(found?.txt).toEqual(expect.arrayContaining(['ty=EPSON TM-T88V', 'product=(TM-T88V)', 'usb_MDL=TM-T88V']));
  });

  it('names and addresses are answered to somebody who has heard nothing yet', async () => {
    await avahi.restart();
    expect(resolves('-4n', `node-${ID}.local`)).toBe(host(1).address);
    expect(resolves('-6n', `node-${ID}.local`)).toMatch(/^fe80::/);
    expect(resolves('-a', host(1).address)).toBe(`node-${ID}.local`);
  });

  it('a new address of the node is seen at once', async () => {
    const moved = host(1).address.replace(/\d+$/, '77');
    host(1).run('ip', 'address', 'del', `${host(1).address}/24`, 'dev', host(1).interface);
    host(1).run('ip', 'address', 'add', `${moved}/24`, 'dev', host(1).interface);
    await until(() => {
      try {
        return resolves('-4n', `node-${ID}.local`) === moved;
      } catch {
        return false;
      }
    });
    expect(resolves('-a', moved)).toBe(`node-${ID}.local`);
  });

  it('a node that stops is gone from every list', async () => {
    const [printers, pages] = [avahi.follow(PDL), avahi.follow('_http._tcp')];
    await until(() => printers.includes(`+ ${EPSON}`) && pages.includes(`+ ${EPSON}`));
    node.child.kill('SIGTERM');
    await until(() => printers.includes(`- ${EPSON}`) && pages.includes(`- ${EPSON}`));
  });
});
