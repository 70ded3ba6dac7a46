/** POST /twin/action: what virtual devices declare that can be done with them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { VirtualAcmDevice } from '../../../runtime/bindings/virtual/acm-device.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { LANGUAGES } from '../../../runtime/page/kit/catalogue.ts';
import { onTwin } from '../../cli/on-twin.ts';
import { roomDevices } from '../../devices.ts';
import { wifiPlugins } from '../../plugins.ts';
import { startNode } from '../../services/custody/node.ts';
import { startCounter } from './counter.ts';

/** As a room from outside declares them, in English alone. */
class CoinAcceptor extends VirtualAcmDevice {
  readonly state: { readonly seen: unknown[] } = { seen: [] };
  override readonly actions = {
    insert: { argument: { name: 'cents', default: 50 }, act: (cents: number) => this.#insert(cents) },
    jam: { argument: { name: 'firmly', default: true }, act: (firmly: boolean) => void this.state.seen.push(firmly) },
    return: { act: () => void this.state.seen.push('returned') },
  };
  override readonly words = { en: { insert: 'Insert a coin', cents: 'Cents', jam: 'Jam it', return: 'Press return' } };

  constructor() {
    super({ vendorId: 0x1209, productId: 0x0003, make: 'Example', model: 'Coins' });
  }

  #insert(cents: number): void {
    if (cents < 1) throw new RangeError('there is no such coin');
    this.state.seen.push(cents);
  }
}

async function start() {
  const node = await startCounter({
    coins: () => new CoinAcceptor(),
    'scanner/wedge': () => new VirtualWedgeScanner(),
  });
  onTestFinished(node.stop);
  const client = new NodeClient({ url: node.url });
  const act = (device: string, action: string, argument?: string | number | boolean) =>
    client.twin.act({ device, action, ...(argument !== undefined && { argument }) });
  return { node, client, act };
}
const refusal = (detail: string) => ({ code: 'invalid_command', status: 422, detail });

describe('the actions of virtual devices', () => {
  it('are listed with their words, and are absent for a device that declares none', async () => {
    const { client } = await start();
    const { devices } = await client.twin.devices();
    const { actions, words } = devices.find(({ name }) => name === 'coins') ?? {};
    expect(actions).toEqual([
      { name: 'insert', argument: { name: 'cents', default: 50 } },
      { name: 'jam', argument: { name: 'firmly', default: true } },
      { name: 'return' },
    ]);
    expect(words).toEqual({ en: expect.objectContaining({ insert: 'Insert a coin', cents: 'Cents' }) });
    expect(devices.find(({ name }) => name === 'printer')).not.toHaveProperty('actions');
  });

  it('are done with the default where no argument is given, else with that, and the answer has the state', async () => {
    const { node, act } = await start();
    await node.attach('1209:0003');
    expect(await act('coins', 'insert')).toEqual({ ok: true, state: { seen: [50] } });
    await act('coins', 'insert', 200);
    await act('coins', 'jam', false);
    expect(await act('coins', 'return')).toEqual({ ok: true, state: { seen: [50, 200, false, 'returned'] } });
  });

  it('are refused where there is no such device or action, and say which there are', async () => {
    const { act } = await start();
    await expect(act('toaster', 'insert')).rejects.toMatchObject(
      refusal('device: the twin has camera, hub, printer, scale, scanner, coins, scanner/wedge'),
    );
    await expect(act('coins', 'constructor')).rejects.toMatchObject(refusal('action: coins has insert, jam, return'));
    await expect(act('printer', 'insert')).rejects.toMatchObject(refusal('action: printer has none'));
  });

  it('are refused for a device that is not plugged in', async () => {
    const { act } = await start();
    await expect(act('coins', 'insert')).rejects.toMatchObject(refusal('device: coins is not plugged in'));
  });

  it('are refused with an argument of another type, one too many, or one that the device cannot take', async () => {
    const { node, act } = await start();
    await node.attach('1209:0003');
    await expect(act('coins', 'insert', '50')).rejects.toMatchObject(refusal('argument: is a number'));
    await expect(act('coins', 'return', 1)).rejects.toMatchObject(refusal('argument: this action takes none'));
    await expect(act('coins', 'insert', 0)).rejects.toMatchObject(refusal('argument: there is no such coin'));
    expect((await act('coins', 'return')).state).toEqual({ seen: ['returned'] });
  });

  it('are on no other variant', async () => {
    const node = await startNode({ plugins: wifiPlugins });
    const body = { device: 'scale', action: 'tare' };
    expect(await node.send('POST', '/twin/action', body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('the devices of this tree', () => {
  it('have words for every action and argument in every language of the page', () => {
    const declaring = roomDevices
      .map(({ create }) => create())
      .filter(({ actions }) => Object.keys(actions).length > 0);
    expect(declaring.length).toBeGreaterThan(1);
    for (const { actions, words } of declaring)
      for (const [name, { argument }] of Object.entries(actions))
        for (const language of Object.keys(LANGUAGES))
          for (const key of [name, argument?.name ?? name]) expect(words[language], language).toHaveProperty(key);
  });

  it('a scale whose tare key was pressed weighs what is put on it after that, until it loses its power', async () => {
    const { node, client, act } = await start();
    const weighs = (weight: number) => expect.poll(async () => (await client.scale()).weight).toBe(weight);
    await client.twin.scale({ grams: 200 });
    await weighs(200);
    await act('scale', 'tare');
    await weighs(0);
    await client.twin.scale({ grams: 250 });
    await weighs(50);
    await client.twin.scale({ attached: false });
    await client.twin.scale({ attached: true });
    await weighs(250);
    expect((await node.status()).peripherals.find(({ endpoint }) => endpoint === 'scale')?.condition).toBe('bound');
  });

  it('a scanner that types has its characters read where no Enter follows', async () => {
    const { client, act } = await start();
    const { vendorId, productId } = { vendorId: '05e0', productId: '1200' };
    await client.twin.attach({ device: 'scanner/wedge', vendorId, productId });
    await act('scanner/wedge', 'type', '4006');
    await expect.poll(async () => (await client.scans()).scans[0]?.value).toBe('4006');
  });
});

describe('tillnode act', () => {
  const twin = onTwin();

  it('lists what can be done, does it, and says what it came to', async () => {
    expect((await twin.run('act')).out).toMatch(/^scale +tare +Press the tare key$/m);
    await twin.client.twin.scale({ grams: 5 });
    expect(await twin.run('act', 'scale', 'tare')).toMatchObject({ code: 0, out: '{"grams":5,"status":"reading"}\n' });
    expect(await twin.run('act', 'scale', 'jump')).toMatchObject({ code: 1, err: expect.stringContaining('has tare') });
    expect(await twin.run('act', 'scale')).toMatchObject({ code: 2 });
  });
});
