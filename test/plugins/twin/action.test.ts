/** POST /twin/action: what virtual devices declare that can be done with them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { LANGUAGES } from '../../../runtime/base/language.ts';
import { VirtualAcmDevice } from '../../../runtime/bindings/virtual/acm-device.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
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
  const node = await startCounter({ coins: () => new CoinAcceptor() });
  onTestFinished(node.stop);
  const client = new NodeClient({ url: node.url });
  const act = (device: string, action: string, argument?: string | number | boolean) =>
    client.twin.act({ device, action, ...(argument !== undefined && { argument }) });
  return { node, client, act };
}
const refusal = (detail: unknown) => ({ code: 'invalid_command', status: 422, detail });

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
      refusal(expect.stringMatching(/^device: the twin has .*printer.*, coins$/)),
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
    const body = { device: 'coins', action: 'insert' };
    expect(await node.send('POST', '/twin/action', body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('the devices of this tree', () => {
  it('have words for every action and argument in every language of the page', () => {
    const declaring = roomDevices
      .map(({ create }) => create())
      .filter(({ actions }) => Object.keys(actions).length > 0);
    expect(declaring).not.toEqual([]);
    for (const { actions, words } of declaring)
      for (const [name, { argument }] of Object.entries(actions))
        for (const language of Object.keys(LANGUAGES))
          for (const key of [name, argument?.name ?? name]) expect(words[language], language).toHaveProperty(key);
  });
});
