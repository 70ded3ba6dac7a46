/** The slip for joining the setup network (specification 1 and 3.5). */
import { describe, expect, it } from 'vitest';
import { RadioError } from '../../../runtime/bindings/network.ts';
import { failed } from '../../../runtime/kernel/command.ts';
import { joinCode } from '../../../runtime/services/network/slip.ts';
import { cabled, radioInShop, SHOP, TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { type NetworkNode, startNetworkNode } from './node.ts';

const HEADING = 'Connect me to Wi-Fi';
const CUT = '\x1dV';
const paper = ({ printer }: NetworkNode) => Buffer.from(printer.paperBytes()).toString('latin1');
const slips = (node: NetworkNode) => paper(node).split(HEADING).length - 1;
/** Heading and cut: the whole of it is out. */
const isOut = (node: NetworkNode, count: number) =>
  slips(node) === count && paper(node).split(CUT).length - 1 === count;

/** What was printed after everything asked for so far: jobs come out in order. */
async function printMarker(node: NetworkNode, marker: string): Promise<void> {
  const lines = [{ type: 'text', value: marker }];
  const { status } = await node.send('POST', '/print', { type: 'print', id: marker, endpoint: 'receipt', lines });
  expect(status).toBe(200);
}

/** In setup mode, its printer lying beside it. */
async function startWithoutPrinter(): Promise<NetworkNode> {
  const radio = new TestRadio();
  radio.fault = new RadioError('failed');
  const node = await startNetworkNode({ printer: true, radio });
  node.bench.usb.unplug(node.printer);
  await Promise.resolve();
  await node.kernel.hotplug.settled();
  radio.fault = undefined;
  await until(() => radio.is('setup'));
  return node;
}

describe('the slip', () => {
  it('comes out when setup opens, with the network, its key and the page, as a QR code and in words', async () => {
    const node = await startNetworkNode({ printer: true });
    await until(() => isOut(node, 1));
    const { ssid = '', password = '' } = node.radio.setup ?? {};
    for (const text of [`WIFI:T:WPA;S:${ssid};P:${password};;`, 'http://127.0.0.1']) {
      expect(paper(node)).toContain(text);
    }
    const words = node.printer.paperText();
    for (const word of [ssid, password]) expect(words).toContain(word);
  });

  it('comes out as soon as there is a printer, and once', async () => {
    const node = await startWithoutPrinter();
    expect(slips(node)).toBe(0);
    node.bench.usb.plug(node.printer);
    await until(() => isOut(node, 1));
    for (let again = 0; again < 3; again++) {
      node.bench.usb.unplug(node.printer);
      node.bench.usb.plug(node.printer);
      await Promise.resolve();
      await node.kernel.hotplug.settled();
    }
    await printMarker(node, 'last');
    expect(slips(node)).toBe(1);
  });

  it('comes out of a printer that only takes bytes and never answers', async () => {
    const radio = new TestRadio();
    radio.fault = new RadioError('failed');
    const node = await startNetworkNode({ printer: true, radio });
    node.printer.set({ silent: true });
    await until(() => node.kernel.endpoints('printer').some(({ condition }) => condition === 'silent'));
    radio.fault = undefined;
    await until(() => isOut(node, 1));
  });

  it('is not printed again when setup makes way for another try and comes back', async () => {
    const wifi = { ...SHOP, band: 'auto', proven: true };
    const timings = { healMs: 0, quietMs: 30 };
    const node = await startNetworkNode({ printer: true, storage: await storageWith({ wifi }), timings });
    await until(() => node.radio.count('openSetup') > 3 && isOut(node, 1));
    await printMarker(node, 'last');
    expect(slips(node)).toBe(1);
  });

  it('is printed again the next time setup is needed', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ printer: true, radio });
    await until(() => isOut(node, 1));
    await node.send('POST', '/provision', SHOP);
    await until(() => radio.is('station'));
    await until(() => node.kernel.settings.read('told') !== undefined);
    await node.kernel.offered('custody')?.forgetNetwork.promise();
    // The slip with the address came out in between.
    await until(() => slips(node) === 2 && paper(node).split(CUT).length - 1 === 3);
  });

  it('is printed again when credentials that came did not work', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ printer: true, radio, timings: { healMs: 0 } });
    await until(() => isOut(node, 1));
    await node.send('POST', '/provision', { ...SHOP, password: 'wrong password' });
    await until(() => isOut(node, 2));
    expect(node.printer.paperText().replace(/\s+/g, ' ')).toContain('“Shop” did not work: the password is wrong.');
  });

  it('that could not be printed is printed by the next printer', async () => {
    const node = await startWithoutPrinter();
    let refusals = 0;
    node.kernel.hooks.command.for('print').tapPromise({ name: 'test', stage: -1000 }, async (command) => {
      refusals += 1;
      return refusals === 1 ? failed(command, 'write_failed') : undefined;
    });
    node.bench.usb.plug(node.printer);
    await until(() => refusals === 1);
    expect(slips(node)).toBe(0);
    node.bench.usb.unplug(node.printer);
    node.bench.usb.plug(node.printer);
    await until(() => isOut(node, 1));
  });

  it('is not printed by a node that has its network', async () => {
    const radio = cabled();
    const node = await startNetworkNode({ printer: true, radio });
    await until(() => radio.calls.includes('leave'));
    await printMarker(node, 'last');
    expect(slips(node)).toBe(0);
  });

  it('does not get into the diagnostic ring: its key is for whoever stands before the box', async () => {
    const node = await startNetworkNode({ printer: true, storage: await storageWith({ config: { capture: true } }) });
    await until(() => isOut(node, 1));
    await printMarker(node, 'recorded');
    const ring = (await (await fetch(`${node.url}/capture`)).text())
      .split('\n')
      .map((line) => (line === '' ? '' : Buffer.from(JSON.parse(line)['data'], 'base64').toString('latin1')))
      .join('');
    expect(ring).toContain('recorded');
    expect(ring).not.toContain(HEADING);
    expect(ring).not.toContain(node.radio.setup?.password ?? '');
  });
});

it('the slips are in the language of the image, and in English', async () => {
  const setup = await startNetworkNode({ printer: true, image: { language: 'pl' } });
  await until(() => isOut(setup, 1));
  const cable = await startNetworkNode({ printer: true, radio: cabled(), image: { language: 'de' } });
  await until(() => cable.kernel.settings.read('told') !== undefined);
  // Of a slip in English the first line is alone.
  expect(setup.printer.paperText()).toMatch(/Połącz z Wi-Fi\s+Connect me to Wi-Fi/);
  expect(setup.printer.paperText()).toMatch(/i wybierz sieć sklepu\.\s+and choose the network of the shop\./);
  expect(cable.printer.paperText()).toMatch(/Ich bin bereit\s+I am ready/);
});

describe('the slip with the address', () => {
  const WELCOME = 'I am ready';
  const addresses = (node: NetworkNode) => paper(node).split(WELCOME).length - 1;
  const stored = (node: NetworkNode) => node.kernel.settings.read('told') !== undefined;

  it('comes out when a cable first brought an address, in words and as a QR code', async () => {
    const node = await startNetworkNode({ printer: true, radio: cabled() });
    await until(() => stored(node));
    const { ipv4 } = await node.radio.read();
    expect(paper(node)).toContain(`http://${ipv4?.address}`);
    expect(node.printer.paperText()).toContain(`http://${ipv4?.address}`);
    expect([addresses(node), slips(node)]).toEqual([1, 0]);
  });

  it('comes out once in the life of a node', async () => {
    const storage = await storageWith({});
    const first = await startNetworkNode({ printer: true, radio: cabled(), storage });
    await until(() => stored(first));
    await first.stop();
    const again = await startNetworkNode({ printer: true, radio: cabled(), storage });
    await until(() => again.radio.calls.includes('leave'));
    await printMarker(again, 'last');
    expect([addresses(first), addresses(again)]).toEqual([1, 0]);
  });

  it('comes out again where the node became a new one, as its host name is another', async () => {
    const place = { network: 'cable', address: '192.168.1.20' };
    const identity = { deviceId: '0a1b2c3d', next: '4e5f6a7b' };
    const told = { ...place, id: '0a1b2c3d' };
    const anew = await startNetworkNode({
      printer: true,
      radio: cabled(),
      storage: await storageWith({ identity, told }),
    });
    await until(() => addresses(anew) === 1 && paper(anew).includes('node-4e5f6a7b.local'));
    // What an earlier version stored is about the node that it was.
    const same = await startNetworkNode({
      printer: true,
      radio: cabled(),
      storage: await storageWith({ identity: { deviceId: '0a1b2c3d' }, told: place }),
    });
    await until(() => same.radio.calls.includes('leave'));
    await printMarker(same, 'last');
    expect(addresses(same)).toBe(0);
  });

  it('comes out with new credentials, names the node, and not again at the next start', async () => {
    const storage = await storageWith({ name: 'Till 7' });
    const radio = radioInShop();
    const first = await startNetworkNode({ printer: true, radio, storage });
    await until(() => isOut(first, 1));
    await first.send('POST', '/provision', SHOP);
    await until(() => stored(first));
    const words = first.printer.paperText();
    for (const each of ['Till 7', 'http://192.168.1.20', '.local']) expect(words).toContain(each);
    await first.stop();
    const again = await startNetworkNode({ printer: true, radio, storage });
    await until(async () => (await again.get('/network')).body['mode'] === 'station');
    await printMarker(again, 'last');
    expect([addresses(first), addresses(again)]).toEqual([1, 0]);
  });

  it('says that nobody but the router answers: the Wi-Fi may keep its devices apart', async () => {
    for (const [hosts, isAlone] of [
      [['192.168.1.1'], true],
      [['192.168.1.1', '192.168.1.30'], false],
      [[], false],
    ] as const) {
      const radio = radioInShop();
      for (const host of hosts) radio.hosts.add(host);
      const node = await startNetworkNode({ printer: true, radio });
      await until(() => isOut(node, 1));
      await node.send('POST', '/provision', SHOP);
      await until(() => node.kernel.settings.read('told') !== undefined);
      expect([hosts, node.printer.paperText().includes('guest network')]).toEqual([hosts, isAlone]);
      const lan = { gateway: hosts.length > 0, others: hosts.length > 1 };
      expect((await node.get('/network')).body).toMatchObject({ lan });
      // Whoever is heard later counts, too.
      radio.hosts.add('192.168.1.31');
      expect((await node.get('/network')).body).toMatchObject({ lan: { others: true } });
    }
  });

  it('asks who is there only when it is due or somebody wants to know, once in each place', async () => {
    const wifi = { ...SHOP, band: 'auto', proven: true };
    for (const [told, isDue] of [
      [{ network: `wifi ${SHOP.ssid}`, address: '192.168.1.20' }, false],
      [{ network: 'cable', address: '192.168.1.20' }, true],
    ] as const) {
      const radio = radioInShop();
      let asked = 0;
      let looked = 0;
      radio.neighbours = async (hosts = []) => {
        if (hosts.length > 0) asked += 1;
        looked += 1;
        return [...radio.hosts];
      };
      const node = await startNetworkNode({ printer: true, radio, storage: await storageWith({ wifi, told }) });
      await until(() => radio.is('station'));
      if (isDue) await until(() => addresses(node) === 1);
      await printMarker(node, 'printed');
      expect(asked).toBe(isDue ? 1 : 0);
      for (let news = 0; news < 5; news += 1) {
        radio.news();
        await node.get('/network');
      }
      expect(asked).toBe(1);
      // The router and another one are known: there is nothing more to learn.
      radio.hosts.add('192.168.1.1').add('192.168.1.30');
      await node.get('/network');
      const before = looked;
      await node.get('/network');
      expect(looked).toBe(before);
    }
  });

  it('asks nobody by ARP whom the system knows anyway', async () => {
    for (const [known, asked] of [
      [['192.168.1.1', '192.168.1.30'], []],
      [['192.168.1.30'], ['192.168.1.1']],
    ] as const) {
      const radio = radioInShop();
      const hosts: string[] = [];
      radio.neighbours = async (wanted = []) => {
        hosts.push(...wanted);
        return known;
      };
      const wifi = { ...SHOP, band: 'auto', proven: true };
      const node = await startNetworkNode({ radio, storage: await storageWith({ wifi }) });
      await until(() => radio.is('station'));
      const { lan } = (await node.get('/network')).body;
      expect([lan, hosts]).toEqual([{ gateway: known.length > 1, others: true }, asked]);
    }
  });

  it('comes out where the address is another one, with the reason where a fixed one is not used', async () => {
    const ipv4 = { address: '192.168.1.1', netmask: '255.255.255.0' };
    const told = { network: 'cable', address: '192.168.1.1' };
    const radio = cabled();
    radio.hosts.add(ipv4.address);
    const node = await startNetworkNode({ printer: true, radio, storage: await storageWith({ ipv4, told }) });
    await until(() => addresses(node) === 1 && node.kernel.settings.read('told')?.fault === 'taken');
    expect(node.printer.paperText()).toMatch(/192\.168\.1\.1 is not used,\s+because another device has it/);
  });

  it('comes out with the reason also where the gateway of a fixed address is silent', async () => {
    const ipv4 = { address: '192.168.1.50', netmask: '255.255.255.0', gateway: '192.168.1.254' };
    const node = await startNetworkNode({ printer: true, radio: cabled(), storage: await storageWith({ ipv4 }) });
    await until(() => node.kernel.settings.read('told')?.fault === 'no_gateway');
    expect(node.printer.paperText()).toMatch(/gateway\s+192\.168\.1\.254\s+does\s+not\s+answer/);
  });

  it('is not printed by a node that was on its Wi-Fi before, and says which port was found for it', async () => {
    const wifi = { ...SHOP, band: 'auto', proven: true };
    const before = await startNetworkNode({
      printer: true,
      radio: radioInShop(),
      storage: await storageWith({ wifi }),
    });
    await until(() => stored(before));
    expect(addresses(before)).toBe(0);
    const cable = await startNetworkNode({ printer: true, radio: cabled() });
    await until(() => stored(cable));
    expect(cable.printer.paperText()).toContain(`http://192.168.1.20:${new URL(cable.url).port}/`);
  });

  it('waits for a printer and for a cable', async () => {
    const late = await startWithoutPrinter();
    late.bench.usb.plug(late.printer);
    await until(() => isOut(late, 1));
    expect([stored(late), addresses(late)]).toEqual([false, 0]);
    late.radio.cable = true;
    await until(() => stored(late));
    expect(addresses(late)).toBe(1);
  });
});

describe('the code on it', () => {
  const codes: readonly (readonly [ssid: string, key: string, code: string])[] = [
    ['tillnode-0a1b2c3d', 'abcd-efgh-jkmn', 'WIFI:T:WPA;S:tillnode-0a1b2c3d;P:abcd-efgh-jkmn;;'],
    ['a;b', 'c,d:e"f\\g', 'WIFI:T:WPA;S:a\\;b;P:c\\,d\\:e\\"f\\\\g;;'],
    ['Café 🥐', '', 'WIFI:T:WPA;S:Café 🥐;P:;;'],
  ];
  it.each(codes)('of %s escapes what would end a field', (ssid, key, code) => {
    expect(joinCode(ssid, key)).toBe(code);
  });
});
