/** What a recipe row may say about a printer changes how the node treats it. */
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { VirtualPrinter, type VirtualPrinterOptions } from '../../../plugins/printer/virtual/device.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { opened, until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

let node: TestNode;
afterEach(() => node.stop());

const row = (options: RecipeRow['options']): RecipeRow => ({
  ...{
    id: 'under-test',
    vendorId: '04b8',
    productId: '0e28',
    make: 'EPSON',
    model: 'TM',
    kind: 'printer',
    codec: 'escpos',
  },
  options,
});

async function start(options: RecipeRow['options'], printer: VirtualDevice): Promise<void> {
  node = await startTestNode({ plugins: wifiPlugins, recipes: [row(options)], devices: { printer: () => printer } });
}

const known = () => (node.kernel.status()['printers'] as [{ known: boolean }])[0].known;

const dial = () => opened(node.raw ?? '');

/** Sends 31 60 of its own accord whenever it is asked for its model, and the model. */
class Noisy extends VirtualPrinter {
  constructor(options: VirtualPrinterOptions = {}) {
    super(options);
  }
  noise(): void {
    this.send(0x82, Uint8Array.of(0x31, 0x60));
  }
}

describe('a row option', () => {
  it('softReset has the printer reset when it is bound', async () => {
    const requests: number[] = [];
    class Watched extends VirtualPrinter {
      protected override control(setup: Parameters<VirtualPrinter['request']>[0]): Uint8Array | 'stall' {
        requests.push(setup.request);
        return super.control(setup);
      }
    }
    await start({ softReset: true }, new Watched());
    expect(requests).toContain(2);
    await node.stop();
    requests.length = 0;
    await start({}, new Watched());
    expect(requests).not.toContain(2);
  });

  it('unidirectional leaves the status unknown, and nothing is asked', async () => {
    const printer = new VirtualPrinter();
    await start({ unidirectional: true }, printer);
    expect(known()).toBe(false);
    expect(printer.paperBytes()).toHaveLength(0);
  });

  /** A printer that is not to be asked during a job, and a connection that has one under way. */
  async function startHeld() {
    const printer = new VirtualPrinter();
    await start({ statusBlockedWhilePending: true }, printer);
    await until(known);
    const holder = await dial();
    holder.write('half a line');
    await until(() => Buffer.from(printer.paperBytes()).includes('half a line'));
    return { printer, holder };
  }

  it('statusBlockedWhilePending keeps status requests out of a job that is under way', async () => {
    const { printer, holder } = await startHeld();
    const before = printer.paperBytes().length;
    const asking = await dial();
    asking.write(Uint8Array.of(0x10, 0x04, 0x01));
    const [reply] = (await once(asking, 'data')) as [Buffer];
    expect(reply).toEqual(Buffer.from([0x12]));
    expect(printer.paperBytes()).toHaveLength(before);
    holder.destroy();
    asking.destroy();
  });

  it('statusBlockedWhilePending leaves the status unknown where a job is under way for so long that the last reading is old', async () => {
    const { holder } = await startHeld();
    const asking = await dial();
    asking.write(Uint8Array.of(0x10, 0x04, 0x01));
    const [[before = 0]] = (await once(asking, 'data')) as [Buffer];
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 16_000);
    try {
      expect(known()).toBe(false);
      // The client is told what was known last, of a printer that is off-line now.
      asking.end(Uint8Array.of(0x10, 0x04, 0x01));
      expect([...((await once(asking, 'data')) as [Buffer])[0]]).toEqual([before | 0x08]);
    } finally {
      later.mockRestore();
      holder.destroy();
    }
  });

  it('backgroundStatusNoise keeps what the printer says of its own accord from the client', async () => {
    const quiet = new Noisy();
    await start({ backgroundStatusNoise: true }, quiet);
    await until(known);
    const client = await dial();
    const heard: Buffer[] = [];
    client.on('data', (chunk: Buffer) => heard.push(chunk));
    client.write('x');
    await until(() => Buffer.from(quiet.paperBytes()).includes('x'));
    quiet.noise();
    client.write(Uint8Array.of(0x10, 0x04, 0x04));
    await until(() => heard.length > 0);
    expect(Buffer.concat(heard)).toEqual(Buffer.from([0x12]));
    client.destroy();
  });
});

it('a cloud row that takes the cutter and the width from a printer that the image knows is followed, and said', async () => {
  const printer = new VirtualPrinter();
  await start({ codePages: 'epson' }, printer);
  node.kernel.recipes.replace('cloud', [
    { ...row({ cutter: false, columns: 16, unidirectional: true }), id: 'theirs' },
  ]);
  node.bench.usb.unplug(printer);
  node.bench.usb.plug(printer);
  const recipe = () =>
    (node.kernel.status()['peripherals'] as { endpoint: string; recipe?: Record<string, unknown> }[]).find(
      ({ endpoint }) => endpoint === 'receipt',
    )?.recipe;
  await until(() => recipe()?.['tier'] === 'cloud');
  expect(recipe()?.['disagreement']).toMatchObject({
    builtin: { id: 'under-test', options: { cutter: true, columns: 48, unidirectional: false } },
    row: { id: 'theirs', options: { cutter: false, columns: 16, unidirectional: true } },
  });
});
