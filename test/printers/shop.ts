/**
 * A node with a printer on its cable that only writes down what arrives, and every model at the other end of that cable.
 * The node is used from outside alone: sockets to port 9100, requests to the API, the plug.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { vi } from 'vitest';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import type { Kernel } from '../../runtime/kernel/kernel.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';
import { wifiPlugins } from '../plugins.ts';
import type { Ending } from './streams.ts';
import { kickTimes, type Opening, Witness } from './witness.ts';

const IDLE_SECONDS = 5;
/** Milliseconds of the node's clock: no time-out of a node is as long, so what still waits then would wait for ever. */
const PATIENCE_MS = 600_000;
const ROW: RecipeRow = {
  id: 'test-printer',
  vendorId: '0fee',
  productId: '0001',
  make: 'Test',
  model: 'Printer',
  kind: 'printer',
  codec: 'escpos',
  options: {},
};
/** Every second byte of DLE EOT n that is answered, and with what: on-line, paper in, cover closed. */
const WELL = [0x16, 0x12, 0x12, 0x12];

/** Takes all, keeps it, and answers the status requests in it. It has power of its own: pulling the plug resets nothing. */
class Cable extends VirtualDevice {
  readonly #take: (bytes: Uint8Array) => void;
  #last: readonly number[] = [];

  constructor(take: (bytes: Uint8Array) => void) {
    const pipes = [1, 0x82].map((address) => ({ address, type: 'bulk', maxPacketSize: 64 }) as const);
    super({
      vendorId: 0x0fee,
      productId: 1,
      make: 'Test',
      model: 'Printer',
      interfaces: [{ class: 7, subclass: 1, protocol: 2, pipes }],
    });
    this.#take = take;
  }

  protected override control({ requestType, request }: UsbSetup): Uint8Array | 'stall' {
    if (requestType === 0xa1 && request === 0) {
      const id = 'MFG:Test;CMD:ESC/POS;MDL:Printer;CLS:PRINTER;';
      return Buffer.concat([Uint8Array.of(0, id.length + 2), Buffer.from(id, 'latin1')]);
    }
    if (requestType === 0xa1 && request === 1) return Uint8Array.of(0x18);
    return request === 2 ? new Uint8Array() : 'stall';
  }

  protected override receive(_: number, bytes: Uint8Array): number {
    const seen = [...this.#last, ...bytes];
    for (let at = seen.indexOf(0x10); at >= 0 && at + 2 < seen.length; at = seen.indexOf(0x10, at + 1)) {
      const answer = seen[at + 1] === 0x04 ? WELL[(seen[at + 2] ?? 0) - 1] : undefined;
      if (answer !== undefined) this.send(0x82, Uint8Array.of(answer));
    }
    this.#last = seen.slice(-2);
    this.#take(bytes);
    return bytes.length;
  }
}

export interface Shop {
  dial(): Promise<Socket>;
  /** One connection: these segments, and an orderly end; resolves when the node has closed its side. */
  job(...segments: readonly Uint8Array[]): Promise<void>;
  /** One that ends as it says; `end` ends one that was left open. */
  connection(segments: readonly Uint8Array[], ending: Ending): Promise<{ closed: Promise<unknown>; end?: () => void }>;
  /** Waits for this, and lets the clock go on meanwhile. */
  drained(all: Promise<unknown>): Promise<void>;
  status(): Promise<void>;
  /** A kick of the drawer that no other kick is like; resolves with the answer. */
  kick(): Promise<void>;
  print(value: string): Promise<void>;
  raw(bytes: Uint8Array): Promise<void>;
  /** The clock goes on by the time that an idle holder keeps the printer, and the node asks the printer how it is. */
  idle(): Promise<void>;
  replug(powerCycle: boolean): Promise<void>;
  /** Everything so far is on the cable. */
  settled(): Promise<void>;
  /** What the models did since the last question that is neither a kick of the API nor stands in its raw bytes, once each. */
  opened(): Opening[];
  /** Bytes on the cable since the last question. */
  wire(): Buffer;
  stop(): Promise<void>;
}

/** Lets what is under way in this process and on loopback get on by a step. */
export const turn = async () => {
  for (let step = 0; step < 2; step += 1) await new Promise(setImmediate);
};

/** Options of the printer's recipe. One that is unidirectional is asked nothing, so that no poll stands between two clients. */
export interface PrinterOptions {
  readonly pulseOnBel?: boolean;
  readonly unidirectional?: boolean;
  readonly realtimePulseDisable?: boolean;
}

/** What a wait that never ends may be waiting for. */
const stateOf = (kernel: Kernel) =>
  JSON.stringify({
    listening: [...kernel.listening],
    endpoints: kernel.endpoints().map(({ declaration: { id }, condition, reason }) => ({ id, condition, reason })),
  });

export async function openShop(options: PrinterOptions = {}): Promise<Shop> {
  const witness = new Witness(options.pulseOnBel);
  let kicks = 0;
  const cable = new Cable((bytes) => witness.take(bytes));
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...timers] });
  const recipes = [{ ...ROW, options: { ...options } }];
  const node = await startTestNode({ plugins: wifiPlugins, recipes, devices: { printer: () => cable } });
  const request = async (method: string, path: string, body: object) => {
    const response = await fetch(`${node.url}${path}`, { method, body: JSON.stringify(body) });
    await response.arrayBuffer();
  };
  await request('PUT', '/config', { raw: { idleTimeoutSeconds: IDLE_SECONDS } });
  let ids = 0;
  const command = (path: string, type: string, rest: object) =>
    request('POST', path, { type, id: `c${ids++}`, endpoint: 'receipt', ...rest });
  /** Lets the clock go on, in steps, while something waits for it. Throws an error that tells how the node is if it hangs. */
  const clockFor = (what: string) => {
    let left = PATIENCE_MS;
    return async (ms: number) => {
      left -= ms;
      if (left < 0) throw new Error(`${what} hangs: ${stateOf(node.kernel)}`);
      await vi.advanceTimersByTimeAsync(ms);
    };
  };
  const dial = async () => {
    const advance = clockFor('port 9100');
    // The port opens when the printer is bound.
    while (node.kernel.listening.get('raw') === undefined) await advance(100);
    const [host = '', port = ''] = (node.kernel.listening.get('raw') ?? '').split(':');
    const socket = connect({ host, port: Number(port), noDelay: true });
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'connect');
    return socket;
  };
  const print = (value: string) => command('/print', 'print', { lines: [{ type: 'text', value }] });
  const connection: Shop['connection'] = async (segments, ending) => {
    const socket = await dial();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const segment of segments) {
      socket.write(segment);
      await turn();
    }
    const end = () => socket.end();
    if (ending === 'in order') end();
    if (ending === 'aborted') socket.resetAndDestroy();
    return ending === 'left open' ? { closed, end } : { closed };
  };
  const drained: Shop['drained'] = async (all) => {
    const advance = clockFor('a client or the plug');
    let over = false;
    const done = () => {
      over = true;
    };
    all.then(done, done);
    for (let turns = 0; !over; turns += 1) {
      await turn();
      if (turns % 20 === 19) await advance(500);
    }
    await all;
  };
  return {
    dial,
    print,
    connection,
    job: async (...segments) => {
      await (await connection(segments, 'in order')).closed;
    },
    status: async () => {
      await (await fetch(`${node.url}/status`)).arrayBuffer();
    },
    drained,
    kick: async () => {
      const [on, off] = kickTimes(kicks);
      kicks += 1;
      witness.authorise(Uint8Array.of(0x1b, 0x70, 0, on, off));
      await command('/drawer/kick', 'drawer_kick', { pin: 2, onMs: on * 2, offMs: off * 2 });
    },
    raw: async (bytes) => {
      witness.authorise(bytes);
      await command('/raw', 'raw', { data: Buffer.from(bytes).toString('base64') });
    },
    idle: async () => {
      await vi.advanceTimersByTimeAsync(IDLE_SECONDS * 1000 + 100);
      await turn();
    },
    replug: async (powerCycle) => {
      node.bench.usb.unplug(cable);
      await Promise.resolve();
      await drained(node.kernel.hotplug.settled());
      if (powerCycle) witness.powerCycle();
      node.bench.usb.plug(cable);
      await Promise.resolve();
      await drained(node.kernel.hotplug.settled());
    },
    settled: () => print('-'),
    wire: () => witness.wire,
    opened: () => witness.opened(),
    stop: async () => {
      await node.stop();
      vi.useRealTimers();
    },
  };
}
