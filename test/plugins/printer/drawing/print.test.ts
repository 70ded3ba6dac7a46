/** A print command whose text is laid out in the drawing thread, and what the node does meanwhile. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../../runtime/node/testing.ts';
import { wifiPlugins } from '../../../plugins.ts';

/** Thai: in no code page of this printer. */
const SHAPED = 'ไทย';
const THREAD = new URL('./thread.mjs', import.meta.url).pathname;

let ids = 0;
/** A node with a printer; `beside` as the thread starts. */
async function start(options: Partial<TestNodeOptions> = {}) {
  const printer = new VirtualPrinter();
  const node = await startTestNode({ plugins: wifiPlugins, devices: { printer: () => printer }, ...options });
  onTestFinished(() => node.stop());
  const send = async (path: string, body?: object) => {
    const response = await fetch(`${node.url}${path}`, body && { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
  };
  const print = (value: string) => {
    ids += 1;
    return send('/print', { type: 'print', id: `${ids}`, endpoint: 'receipt', lines: [{ type: 'text', value }] });
  };
  return { ...node, printer, send, print };
}
const startWith = (beside: (node: TestNode, printer: VirtualPrinter) => void) => {
  const started: { node?: Awaited<ReturnType<typeof start>> } = {};
  const options = {
    beside: () => {
      if (started.node !== undefined) beside(started.node, started.node.printer);
      return THREAD;
    },
  };
  return start(options).then((node) => {
    started.node = node;
    return node;
  });
};

describe('a node', () => {
  it('prints what the drawing thread laid out', async () => {
    const { print, printer } = await startWith(() => {});
    expect(await print(`${SHAPED} word`)).toMatchObject({ ok: true, outcome: 'accepted', bytes: 6 });
    expect(Buffer.from(printer.paperBytes()).toString()).toMatch(/word 1$/);
  });

  it('starts no thread for what it can lay out itself', async () => {
    let started = 0;
    const { print } = await startWith(() => {
      started += 1;
    });
    for (const value of ['Crème brûlée 5,40 €', 'Привет', 'cafe\u0301\tdoux\r\n', '12 ₺'])
      expect(await print(value)).toMatchObject({ ok: true });
    expect(started).toBe(0);
  });

  it('prints receipts in the order in which they came, also where one has to be drawn and the next has not', async () => {
    let drawn = () => {};
    const begun = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    const { print, printer } = await startWith(() => drawn());
    const first = print(`${SHAPED} slow`);
    await begun;
    const others = ['2nd', '3rd'].map(async (value) => expect(await print(value)).toMatchObject({ ok: true }));
    await Promise.all([first, ...others]);
    expect(Buffer.from(printer.paperBytes()).toString()).toMatch(/slow 1[\s\S]*2nd[\s\S]*3rd/);
  });

  it.each(['crash', 'slow'])('lets the next receipt print where the one before it is refused (%s)', async (deed) => {
    let drawn = () => {};
    const begun = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    const { host, print, printer } = await startWith(() => drawn());
    const first = print(`${SHAPED} ${deed}`);
    await begun;
    host.memory = 100;
    expect(await print('no memory')).toMatchObject({ ok: false, error: 'render_alloc_failed' });
    host.memory = 100_000_000;
    expect(await print('next')).toMatchObject({ ok: true });
    await first;
    expect(printer.paperText()).toMatch(/next\n$/);
  });

  it('kicks the drawer, sends raw bytes and reads the status while the thread is at work', async () => {
    const { print, printer, send, stop } = await startWith(() => {});
    const drawn = print(`${SHAPED} hang`);
    expect(await send('/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt' })).toMatchObject({
      ok: true,
    });
    expect(printer.pulses).toHaveLength(1);
    expect(await send('/status')).toMatchObject({ status: 200, online: true });
    const data = Buffer.from('raw\n').toString('base64');
    expect(await send('/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data })).toMatchObject({ ok: true });
    expect(printer.paperText()).toBe('raw\n');
    await stop();
    expect(await drawn).toMatchObject({ status: 503, ok: false, error: 'restarting' });
  });

  it('fails a job whose thread broke as a fault of the node, with nothing written, and prints the next', async () => {
    const { print, printer, send } = await startWith(() => {});
    expect(await print(`${SHAPED} crash`)).toMatchObject({ status: 500, ok: false, error: 'internal' });
    expect(printer.paperText()).toBe('');
    expect(await send('/jobs')).toMatchObject({
      jobs: [{ kind: 'print', outcome: 'failed', error: 'internal', bytes: 0 }],
    });
    expect(await print(`${SHAPED} word`)).toMatchObject({ ok: true });
  });

  it('sends nothing to a printer that was unplugged, or where a restart began, before the job was laid out', async () => {
    const pulled = await startWith(({ bench }, printer) => bench.usb.unplug(printer));
    expect(await pulled.print(`${SHAPED} word`)).toMatchObject({ status: 409, error: 'no_printer' });
    const held = await startWith(({ kernel }) => void kernel.hold());
    expect(await held.print(`${SHAPED} word`)).toMatchObject({ status: 503, error: 'restarting' });
  });

  it('refuses a job where memory is short, and writes nothing', async () => {
    const { host, print, printer } = await startWith(() => {});
    host.memory = 10_000_000;
    expect(await print('plain')).toMatchObject({ ok: true });
    expect(await print(`${SHAPED} word`)).toMatchObject({ status: 409, error: 'render_alloc_failed' });
    expect(printer.paperText()).toBe('plain\n');
  });

  it('says which scripts the image draws, none where it draws none', async () => {
    const drawing = await start({ image: { scripts: ['Arab', 'Thai'] } });
    expect(await drawing.send('/status')).toMatchObject({ text: { scripts: ['Arab', 'Thai'] } });
    const plain = await start();
    expect(await plain.send('/status')).toMatchObject({ text: { scripts: [] } });
  });
});
