/** From no network to one, and back when it fails (specification 1 and 3.5). */
import { describe, expect, it } from 'vitest';
import { RadioError } from '../../../runtime/bindings/network.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { radioInShop, SHOP, shop, TestRadio } from '../../bindings/test-radio.ts';
import { visit } from '../../http/visit.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { type NetworkNode, startNetworkNode } from './node.ts';

const JOIN = `join ${SHOP.ssid}`;
const LONG = 60_000;
const stored = (rest: object) => storageWith({ wifi: { ...SHOP, band: 'auto', proven: false, ...rest } });
const wifiOf = ({ kernel }: NetworkNode) => kernel.settings.read('wifi');

describe('an unprovisioned node', () => {
  it('opens a setup network of its own name, with a key made once for this device', async () => {
    const storage = new VirtualStorage();
    const first = await startNetworkNode({ storage });
    await until(() => first.radio.setup !== undefined);
    const { identity } = (await first.get('/status')).body as { identity: { deviceId: string } };
    expect(first.radio.setup?.ssid).toBe(`tillnode-${identity.deviceId}`);
    const key = first.radio.setup?.password ?? '';
    expect(key).toMatch(/^[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){2}$/);
    await first.stop();

    const again = await startNetworkNode({ storage });
    await until(() => again.radio.setup !== undefined);
    expect(again.radio.setup).toEqual(first.radio.setup);

    const other = await startNetworkNode();
    await until(() => other.radio.setup !== undefined);
    expect(other.radio.setup?.password).not.toBe(key);
  });

  it('has a key even where nothing can be stored, the same until it is switched off', async () => {
    const storage = new VirtualStorage();
    storage.failure = (operation) => (operation === 'write' ? new Error('EROFS') : undefined);
    const node = await startNetworkNode({ storage });
    await until(() => node.radio.setup !== undefined);
    const key = node.radio.setup?.password;
    await node.radio.leave();
    await until(() => node.radio.count('openSetup') === 2);
    expect(node.radio.setup?.password).toBe(key);
  });

  it('prints before the network manager of the machine is up, and asks nothing of that until then', async () => {
    const radio = new TestRadio();
    let isUp = () => {};
    radio.started = () =>
      new Promise((resolve) => {
        isUp = resolve;
      });
    const node = await startNetworkNode({ radio, printer: true, timings: { settleMs: 0 } });
    const lines = [{ type: 'text', value: 'First of the day' }];
    expect(await node.send('POST', '/print', { type: 'print', id: 'first', endpoint: 'receipt', lines })).toMatchObject(
      { body: { ok: true } },
    );
    expect(radio.calls).toEqual([]);
    isUp();
    await until(() => radio.setup !== undefined);
  });

  it('opens none while a cable carries it, nor before a cable had the time to', async () => {
    const radio = new TestRadio();
    const node = await startNetworkNode({ radio, timings: { settleMs: LONG } });
    radio.cable = true;
    await until(() => radio.calls.includes('leave'));
    expect([radio.count('openSetup'), (await node.get('/network')).body['mode']]).toEqual([0, 'ethernet']);
  });

  it('closes it when a cable carries the node, and opens it again when the cable goes', async () => {
    const radio = new TestRadio();
    await startNetworkNode({ radio });
    await until(() => radio.is('setup'));
    radio.cable = true;
    await until(() => radio.calls.at(-1) === 'leave');
    radio.cable = false;
    await until(() => radio.count('openSetup') === 2);
  });

  it('opens it again when it is gone', async () => {
    const radio = new TestRadio();
    await startNetworkNode({ radio });
    await until(() => radio.is('setup'));
    await radio.leave();
    await until(() => radio.count('openSetup') === 2);
  });

  it('goes on asking a radio that cannot open it, and tells which try it is', async () => {
    const radio = new TestRadio();
    radio.fault = new RadioError('unmanaged');
    const node = await startNetworkNode({ radio });
    await until(() => radio.count('openSetup') > 2);
    const failed = node.logged.filter((line) => line.startsWith('setup not opened'));
    expect(failed.slice(0, 2).map((line) => JSON.parse(line.slice(line.indexOf('{'))).attempt)).toEqual([1, 2]);
    const { trying } = (await node.get('/network')).body;
    expect(trying).toMatchObject({ to: 'open_setup', attempt: expect.any(Number), lastFault: 'unmanaged' });
    radio.fault = undefined;
    await until(() => radio.is('setup'));
    await until(() => node.logged.some((line) => line.startsWith('setup open ')));
    expect((await node.get('/network')).body['trying']).toBeUndefined();
  });
});

describe('a provisioned node', () => {
  it('joins at start, and notes that the credentials work', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ radio, storage: await stored({}) });
    await until(() => wifiOf(node)?.proven === true);
    expect([await radio.is('station'), radio.count('openSetup')]).toEqual([true, 0]);
  });

  it('that is already on its network stays there: a restart of the node loses nobody', async () => {
    const radio = radioInShop();
    const storage = await stored({ proven: true });
    const first = await startNetworkNode({ radio, storage });
    await until(() => radio.is('station'));
    await first.stop();
    expect(await radio.is('station')).toBe(true);
    const reads: string[] = [];
    const { read } = radio;
    radio.read = () => {
      reads.push('read');
      return read.call(radio);
    };
    await startNetworkNode({ radio, storage });
    await until(() => reads.length >= 2);
    expect(radio.count(JOIN)).toBe(1);
  });

  it('joins anew for new credentials of the same name', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ radio, storage: await stored({ proven: true }) });
    await until(() => radio.is('station'));
    radio.networks = [shop('another horse')];
    await node.send('POST', '/network', { ssid: SHOP.ssid, password: 'another horse' });
    await until(async () => radio.count(JOIN) === 2 && (await radio.is('station')));
    expect(wifiOf(node)).toMatchObject({ password: 'another horse' });
  });

  it('leaves the radio alone while a cable carries it, and joins when the cable goes', async () => {
    const radio = radioInShop();
    radio.cable = true;
    await startNetworkNode({ radio, storage: await stored({ proven: true }) });
    await until(() => radio.calls.includes('leave'));
    expect(radio.count(JOIN)).toBe(0);
    radio.cable = false;
    await until(() => radio.is('station'));
  });

  it('leaves Wi-Fi for a cable', async () => {
    const radio = radioInShop();
    await startNetworkNode({ radio, storage: await stored({ proven: true }) });
    await until(() => radio.is('station'));
    radio.cable = true;
    await until(() => radio.calls.at(-1) === 'leave');
    expect(await radio.is('ethernet')).toBe(true);
  });
});

describe('a mistyped password', () => {
  it('is tried for a while and then heals: setup is back, nothing erased', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ radio });
    await until(() => radio.is('setup'));
    await node.send('POST', '/provision', { ssid: SHOP.ssid, password: 'corect horse' });
    await until(() => radio.count('openSetup') === 2);
    expect(radio.count(JOIN)).toBeGreaterThan(2);
    expect(wifiOf(node)).toEqual({ ssid: SHOP.ssid, password: 'corect horse', band: 'auto', proven: false });

    const tried = radio.count(JOIN);
    await node.send('POST', '/provision', SHOP);
    await until(() => wifiOf(node)?.proven === true);
    expect(radio.count(JOIN)).toBe(tried + 1);
  });

  it('is tried once where there is no time for more', async () => {
    const radio = radioInShop();
    await startNetworkNode({ radio, storage: await stored({ password: 'corect horse' }), timings: { healMs: 0 } });
    await until(() => radio.is('setup'));
    expect(radio.count(JOIN)).toBe(1);
  });

  it('is not tried without a pause, whatever the radio reports meanwhile', async () => {
    const radio = radioInShop();
    const storage = await stored({ password: 'corect horse' });
    const node = await startNetworkNode({ radio, storage, timings: { healMs: 10 * LONG, backOffMs: [LONG] } });
    await until(() => radio.count(JOIN) === 1);
    for (let news = 0; news < 5; news++) {
      radio.news();
      await node.get('/network');
    }
    expect(radio.count(JOIN)).toBe(1);
  });

  it('that never worked leaves setup open for whoever comes', async () => {
    const radio = radioInShop();
    const storage = await stored({ password: 'corect horse' });
    const node = await startNetworkNode({ radio, storage, timings: { quietMs: 1 } });
    await until(() => radio.is('setup'));
    const tried = radio.count(JOIN);
    for (let news = 0; news < 10; news++) {
      radio.news();
      await node.get('/network');
    }
    expect([radio.count(JOIN), radio.count('openSetup')]).toEqual([tried, 1]);
  });
});

describe('a network that goes', () => {
  it('is joined again when it is back', async () => {
    const radio = radioInShop();
    await startNetworkNode({ radio, storage: await stored({ proven: true }), timings: { healMs: LONG } });
    await until(() => radio.is('station'));
    radio.networks = [];
    await until(() => radio.count(JOIN) > 3);
    radio.networks = [shop()];
    await until(() => radio.is('station'));
    expect(radio.count('openSetup')).toBe(0);
  });

  it('and is back by itself at once costs nothing', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({
      radio,
      storage: await stored({ proven: true }),
      timings: { settleMs: LONG },
    });
    await until(() => radio.is('station'));
    radio.blinks = true;
    radio.news();
    await node.get('/network');
    radio.blinks = false;
    radio.news();
    await node.get('/network');
    expect(radio.count(JOIN)).toBe(1);
  });

  it('for long opens setup, which makes way for another try while nobody uses it', async () => {
    const radio = radioInShop();
    await startNetworkNode({ radio, storage: await stored({ proven: true }), timings: { quietMs: 40 } });
    await until(() => radio.is('station'));
    radio.networks = [];
    await until(() => radio.count('openSetup') === 3);
    radio.networks = [shop()];
    await until(() => radio.is('station'));
    expect(radio.overlapped).toBe(false);
  });

  it('does not take setup away from whoever is on the portal', async () => {
    const radio = new TestRadio();
    const quietMs = 250;
    const storage = await stored({ proven: true });
    const node = await startNetworkNode({ radio, storage, timings: { healMs: 0, quietMs } });
    await until(() => radio.is('setup'));
    let lastVisit = 0;
    const quietFor: number[] = [];
    const { join } = radio;
    radio.join = (...rest) => {
      quietFor.push(performance.now() - lastVisit);
      return join.call(radio, ...rest);
    };
    for (let visits = 0; visits < 20; visits++) {
      const at = performance.now();
      if ((await visit(node, '/')).status === 200) lastVisit = at;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(() => quietFor.length > 0);
    expect(Math.min(...quietFor)).toBeGreaterThanOrEqual(quietMs - 1);
  });
});

describe('the gesture that forgets Wi-Fi', () => {
  it('erases the credentials and the fixed address, nothing else, and opens setup', async () => {
    const radio = radioInShop();
    const ipv4 = { address: '192.168.1.50', netmask: '255.255.255.0' };
    const wifi = { ...SHOP, band: 'auto', proven: true };
    const config = { apiMode: 'admin', apiKey: 'correct horse battery' };
    const storage = await storageWith({ wifi, ipv4, config });
    const node = await startNetworkNode({ radio, storage });
    await until(() => radio.is('station'));
    await node.kernel.offered('custody')?.forgetNetwork.promise();
    await until(() => radio.is('setup'));
    const { settings } = node.kernel;
    expect([wifiOf(node), settings.read('ipv4'), settings.read('config')]).toEqual([undefined, undefined, config]);
  });

  it('calls off a join that does not come to an end', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({
      radio,
      storage: await stored({ password: 'corect horse' }),
      timings: { healMs: 10 * LONG, backOffMs: [LONG] },
    });
    await until(() => radio.count(JOIN) === 1);
    await node.kernel.offered('custody')?.forgetNetwork.promise();
    await until(() => radio.is('setup'));
  });

  it('rejects where nothing can be stored, and the credentials stand', async () => {
    const radio = radioInShop();
    const storage = await stored({ proven: true });
    const node = await startNetworkNode({ radio, storage });
    await until(() => radio.is('station'));
    storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    await expect(node.kernel.offered('custody')?.forgetNetwork.promise()).rejects.toThrow('persist_failed');
    expect(wifiOf(node)).toBeDefined();
  });
});

describe('the end of a node', () => {
  it('takes the setup network with it and leaves no watcher', async () => {
    const radio = new TestRadio();
    const node = await startNetworkNode({ radio });
    await until(() => radio.is('setup'));
    await node.stop();
    expect([radio.calls.at(-1), await radio.is('offline'), radio.watchers]).toEqual(['leave', true, 0]);
  });

  it('does not wait for a radio that answers nobody', async () => {
    const radio = radioInShop();
    radio.join = () => new Promise(() => {});
    let asked = false;
    const { read } = radio;
    radio.read = () => {
      asked = true;
      return read.call(radio);
    };
    const node = await startNetworkNode({ radio, storage: await stored({}), timings: { stopMs: 10 } });
    await until(() => asked);
    await node.stop();
    expect(radio.count('openSetup')).toBe(0);
  });

  it('finds the radio told one thing at a time, whatever was asked', async () => {
    const radio = radioInShop();
    const node = await startNetworkNode({ radio, timings: { answerMs: 0 } });
    for (const password of ['corect horse', 'correct hrose', SHOP.password]) {
      await node.send('POST', '/network', { ssid: SHOP.ssid, password });
      radio.news();
    }
    await until(() => wifiOf(node)?.proven === true);
    expect(radio.overlapped).toBe(false);
  });
});
