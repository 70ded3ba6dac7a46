/** How a printer is while its bulk pipe is held or says nothing: GET_PORT_STATUS (USB printer class 1.1, 4.2.2). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../../runtime/recipes/row.ts';
import { until } from '../../../node.ts';
import { wifiPlugins } from '../../../plugins.ts';

const FINE = 0x18;
const EVERY_MS = 5000;
const STALE_MS = 15_000;
/** A question begins with DLE. */
const ESC = 0x1b;
const IDS = { vendorId: '04b8', productId: '0e28' };
const ROW = { ...IDS, id: 'under-test', make: 'EPSON', model: 'TM', kind: 'printer', codec: 'escpos' };

/** Says of its port what it is told to say. */
class Printer extends VirtualPrinter {
  port: number | 'stall' | undefined;
  asked = 0;
  protected override control(setup: Parameters<VirtualPrinter['request']>[0]): Uint8Array | 'stall' {
    if (setup.request !== 1) return super.control(setup);
    this.asked += 1;
    if (this.port === undefined) return super.control(setup);
    return this.port === 'stall' ? 'stall' : Uint8Array.of(this.port);
  }
}

let node: TestNode;
let printer: Printer;
let job: Promise<Response> | undefined;
beforeEach(() => {
  job = undefined;
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  printer.set({ slow: 0, nak: false, paper: 'ok', cover: 'closed' });
  await job;
  await node.stop();
});

async function start(options: RecipeRow['options'] = {}, made = new Printer()): Promise<void> {
  printer = made;
  node = await startTestNode({
    plugins: wifiPlugins,
    recipes: [{ ...ROW, options }],
    devices: { printer: () => made },
  });
}
const state = () => (node.kernel.status()['printers'] as [Record<string, unknown>])[0];
/** Virtual requests are answered in a turn of the event loop of their own. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
/** The time comes at which the printer is asked, and it was. */
async function poll(): Promise<void> {
  const { asked } = printer;
  vi.advanceTimersByTime(EVERY_MS);
  await until(() => printer.asked > asked);
  await turn();
}
/** A job that does not end before the printer is let go on. */
async function hold(): Promise<void> {
  printer.set({ slow: 500 });
  const lines = Array.from({ length: 100 }, () => ({ type: 'text', value: 'a long receipt, line by line' }));
  const taken = () => Buffer.from(printer.paperBytes()).includes(ESC);
  printer.tearOff();
  const body = JSON.stringify({ type: 'print', id: 'long', endpoint: 'receipt', lines });
  job = fetch(`${node.url}/print`, { method: 'POST', body });
  // Where it was just asked, it takes that first, by a clock that goes on with each look alone.
  await until(() => {
    if (!taken()) vi.advanceTimersByTime(20);
    return taken();
  });
}
const known = () => until(() => state()['known'] === true);

describe('while a job is in hand', () => {
  it('the end of the paper is news that does not wait for it', async () => {
    await start();
    await known();
    const events = await fetch(`${node.url}/events`);
    const told = (async () => {
      let text = '';
      for await (const chunk of events.body ?? []) {
        text += Buffer.from(chunk).toString();
        const found = /"paperOut":true.*\n/.exec(text);
        if (found) return text.slice(text.lastIndexOf('{', found.index));
      }
      throw new Error('no event');
    })();
    await hold();
    printer.set({ paper: 'out' });
    vi.advanceTimersByTime(EVERY_MS);
    const event = JSON.parse(await told) as Record<string, unknown>;
    expect(event).toMatchObject({ type: 'printer_status', known: true, online: false, paperOut: true });
    printer.set({ paper: 'ok', slow: 0 });
    expect((await job)?.status).toBe(200);
    vi.advanceTimersByTime(EVERY_MS);
    await until(() => state()['online'] === true);
    expect(state()).toMatchObject({ known: true, paperOut: false });
  });

  it('the cover is asked for every 2 s', async () => {
    await start();
    await known();
    await hold();
    printer.port = 0x10;
    vi.advanceTimersByTime(2000);
    await until(() => state()['online'] === false);
  });

  it.each([
    ['paper empty', 0x38, true],
    ['not selected', 0x08, false],
    ['error', 0x10, false],
  ])('"%s" is told, and a printer that takes it back is as it last told otherwise', async (_, port, paperOut) => {
    await start();
    await known();
    await hold();
    printer.port = port;
    await poll();
    expect(state()).toMatchObject({ known: true, online: false, paperOut, drawerOpen: false });
    printer.port = FINE;
    await poll();
    expect(state()).toMatchObject({ known: true, online: true, paperOut: false });
    vi.advanceTimersByTime(STALE_MS);
    expect(state()).toMatchObject({ known: false });
  });

  it.each([
    ['always says 18 hex', FINE],
    ['always says 00', 0],
    ['sets reserved bits', 0xff],
    ['stalls', 'stall'],
  ] as const)('a printer that %s gives no evidence: what is unknown stays unknown', async (_, port) => {
    await start();
    await known();
    await hold();
    printer.port = port;
    await poll();
    vi.advanceTimersByTime(STALE_MS);
    expect(state()).toMatchObject({ known: false, online: true, paperOut: false });
  });

  it('a fault told by DLE EOT stands where the control pipe then answers 18 (hex)', async () => {
    await start();
    await known();
    printer.set({ paper: 'out' });
    vi.advanceTimersByTime(EVERY_MS);
    await until(() => state()['paperOut'] === true);
    await hold();
    printer.port = FINE;
    await poll();
    expect(state()).toMatchObject({ known: true, paperOut: true });
  });

  it('the control pipe is asked, too, where a recipe says that DLE EOT waits until no job is left', async () => {
    await start({ statusBlockedWhilePending: true });
    await known();
    await hold();
    printer.port = 0x38;
    await poll();
    expect(state()).toMatchObject({ known: true, online: false, paperOut: true });
  });

  it('of a connection that pauses inside an image, no question gets into that', async () => {
    await start();
    await known();
    const [host = '', port = ''] = (node.raw ?? '').split(':');
    const holder = connect({ host, port: Number(port) });
    printer.tearOff();
    holder.write(Buffer.concat([Buffer.from([0x1d, 0x76, 0x30, 0, 72, 0, 200, 0]), Buffer.alloc(500, 0xff)]));
    await until(() => printer.paperBytes().length >= 508);
    await poll();
    await poll();
    const image = Buffer.from(printer.paperBytes());
    expect(image.subarray(image.indexOf(0x1d)).includes(Buffer.of(0x10, 0x04))).toBe(false);
    holder.destroy();
  });

  it('a client of port 9100 that asks gets the fault with the last answer', async () => {
    await start();
    await known();
    await hold();
    printer.port = 0x38;
    await poll();
    const [host = '', port = ''] = (node.raw ?? '').split(':');
    const socket = connect({ host, port: Number(port) });
    socket.write(Uint8Array.of(0x10, 0x04, 4));
    expect([...((await once(socket, 'data'))[0] as Buffer)]).toEqual([0x72]);
    socket.destroy();
  });
});

describe('each field of the status', () => {
  it.each([
    ['the end of the paper is near', { paper: 'low' }, { paperLow: true, paperOut: false, online: true }],
    ['the drawer is open', { drawer: 'open' }, { drawerOpen: true, paperLow: false, online: true }],
  ] as const)('is news where it changes alone: %s, and is no more', async (_, change, told) => {
    await start();
    await known();
    const before = state();
    const news: unknown[] = [];
    node.kernel.hooks.event.tap('test', (event) => void news.push(event));
    printer.set(change);
    vi.advanceTimersByTime(EVERY_MS);
    await until(() => news.length === 1);
    expect(state()).toMatchObject({ ...told, known: true });
    printer.set({ paper: 'ok', drawer: 'closed' });
    vi.advanceTimersByTime(EVERY_MS);
    await until(() => news.length === 2);
    expect(state()).toEqual(before);
  });
});

describe('a printer that answers no more', () => {
  it('is silent since the first answer that did not come', async () => {
    await start();
    await known();
    printer.set({ silent: true });
    for (let missed = 0; missed < 3; missed += 1) await poll();
    const peripherals = node.kernel.status()['peripherals'] as { endpoint: string }[];
    expect(peripherals.find(({ endpoint }) => endpoint === 'receipt')).toMatchObject({
      endpoint: 'receipt',
      condition: 'silent',
      sinceMs: 2 * EVERY_MS,
    });
  });
});

/** Noise on its IN pipe all the time, and with each answer. */
class Noisy extends Printer {
  noise = (): readonly number[] => [];
  protected override send(pipe: number, message: Uint8Array): boolean {
    return super.send(pipe, Uint8Array.from([...this.noise(), ...message, ...this.noise()]));
  }
}

describe('noise on the IN pipe', () => {
  it.each<[string, () => readonly number[]]>([
    ['of any bits', () => Array.from({ length: 40 }, (_, at) => (at * 89 + 0x72) & 0xff)],
    ['that looks like answers', () => [0x72, 0x36, 0x36, 0x72]],
  ])('%s is no state of the printer: nothing is known, and it is said; all is well when it ends', async (_, noise) => {
    const made = new Noisy();
    await start({}, made);
    await known();
    made.noise = noise;
    const receipt = () =>
      (node.kernel.status()['peripherals'] as { endpoint: string }[]).find(({ endpoint }) => endpoint === 'receipt');
    await poll();
    await until(() => state()['known'] === false);
    for (let sample = 0; sample < 4; sample += 1) {
      await poll();
      expect(state()).toMatchObject({ known: false, online: true, paperOut: false, coverOpen: false });
      expect(receipt()).toMatchObject({ condition: 'silent', reason: 'garbled' });
    }
    made.noise = () => [];
    await until(() => {
      vi.advanceTimersByTime(EVERY_MS);
      return state()['known'] === true;
    });
    expect(receipt()).toMatchObject({ condition: 'bound' });
    expect(receipt()).not.toHaveProperty('reason');
  });
});

describe('a printer without a back-channel', () => {
  it('tells of its paper on the control pipe, and is unknown again when it has some', async () => {
    await start({}, new Printer({ writeOnly: true }));
    printer.set({ paper: 'out' });
    await poll();
    expect(state()).toMatchObject({ known: false, online: false, paperOut: true, drawerOpen: false });
    printer.set({ paper: 'ok' });
    await poll();
    expect(state()).toMatchObject({ known: false, online: true, paperOut: false });
  });

  it.each(['open', 'closed'] as const)(
    'says nothing of its cover and its drawer while it says that it has no paper (drawer %s)',
    async (drawer) => {
      await start({}, new Printer());
      await known();
      printer.set({ drawer, silent: true, paper: 'out' });
      vi.advanceTimersByTime(EVERY_MS);
      await until(() => state()['condition'] === 'silent' && state()['online'] === false);
      expect(state()).toMatchObject({ known: false, online: false, paperOut: true });
    },
  );

  it('is asked no more once it stalled', async () => {
    const made = new Printer({ writeOnly: true });
    made.port = 'stall';
    await start({}, made);
    await until(() => made.asked === 1);
    made.port = 0x38;
    vi.advanceTimersByTime(2 * EVERY_MS);
    await turn();
    expect(made.asked).toBe(1);
    expect(state()).toMatchObject({ known: false, online: true });
  });
});

describe('a printer that names a fault on the control pipe whatever happens', () => {
  it('is not believed there again once it answered DLE EOT that all is well', async () => {
    const made = new Printer();
    made.port = 0x10;
    await start({}, made);
    await known();
    await hold();
    await poll();
    expect(state()).toMatchObject({ known: true, online: false });
    made.set({ slow: 0 });
    await job;
    // Whether it was asked between two commands of the job or not.
    await node.kernel.bound('printer', 'receipt')?.refresh();
    expect(state()).toMatchObject({ known: true, online: true });
    const { asked } = made;
    await hold();
    vi.advanceTimersByTime(EVERY_MS);
    await turn();
    expect(state()).toMatchObject({ known: true, online: true });
    expect(made.asked).toBe(asked);
  });
});
