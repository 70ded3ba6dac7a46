/** A node with a virtual printer, and the few calls that tests make on it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFailed, TestRunner } from 'vitest';
import { VirtualPrinter, type VirtualPrinterOptions } from '../plugins/printer/virtual/device.ts';
import { besideSources } from '../runtime/assembly/variant/beside-sources.ts';
import { startTestNode, type TestNode } from '../runtime/node/testing.ts';
import { wifiPlugins } from './plugins.ts';
import { freePort } from './ports.ts';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
}

export interface PrintingNode extends TestNode {
  /** A client of port 9100 lets others in after this pause: fewer seconds than a configuration may say. */
  readonly idleAfter: (seconds: number) => Promise<void>;
  readonly printer: VirtualPrinter;
  get<T = Record<string, unknown>>(path: string): Promise<Answer<T>>;
  send<T = Record<string, unknown>>(method: string, path: string, body: unknown): Promise<Answer<T>>;
  print(lines: readonly object[], rest?: object): Promise<Answer>;
  /** A connection to port 9100, from this address of the loopback range. */
  dial(localAddress?: string): Promise<Socket>;
  /** Events of this type from now on, in order. */
  events(type: string): AsyncGenerator<Record<string, unknown>>;
  replug(): Promise<void>;
  unplug(): Promise<void>;
}

let ids = 0;

export async function startPrintingNode(
  options: VirtualPrinterOptions = {},
  plugins = wifiPlugins,
): Promise<PrintingNode> {
  const printer = new VirtualPrinter(options);
  const node = await startTestNode({
    plugins,
    run: { ports: { raw: await freePort() } },
    beside: besideSources,
    devices: { printer: () => printer },
  });
  // What the node draws is text to a reader of the paper, also where no twin says so.
  if (!plugins.some(({ name }) => name === 'twin'))
    node.kernel.offered('printer')?.drawn.tap('test', (_, texts) => printer.drew(texts));
  const call = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const response = await fetch(`${node.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  // The first reading of the printer is over: what comes out from here on is what the test sends.
  const status = () => node.kernel.status()['printers'] as [{ known: boolean; condition: string }];
  if (!options.writeOnly) await until(() => status()[0].known || status()[0].condition !== 'bound');
  const settled = async () => {
    await Promise.resolve();
    await node.kernel.hotplug.settled();
  };
  return {
    ...node,
    printer,
    get: (path) => call('GET', path),
    send: (method, path, body) => call(method, path, body),
    idleAfter: (seconds) => node.kernel.config.patch({ raw: { idleTimeoutSeconds: seconds } }),
    print: (lines, rest = {}) => {
      ids += 1;
      return call('POST', '/print', { type: 'print', id: `job-${ids}`, endpoint: 'receipt', lines, ...rest });
    },
    dial: async (localAddress = '127.0.0.1') => {
      const [host = '', port = ''] = (node.raw ?? '').split(':');
      // Another program may have had the port while no printer was bound: the node tries again.
      const { listening } = node.kernel;
      if (listening.reserved.has('raw') && status()[0].condition === 'bound')
        await until(() => listening.get('raw') !== undefined);
      const socket = connect({ host, port: Number(port), noDelay: true, localAddress });
      await once(socket, 'connect');
      // It may be reset before its test listens; 'close' tells so, too.
      socket.on('error', () => {});
      // Where nothing listens, a socket whose own port is that one is connected with itself (RFC 9293, 3.5), and hears its echo.
      if (socket.localPort !== socket.remotePort) return socket;
      socket.destroy();
      throw new Error('nothing listens there');
    },
    async *events(type) {
      const response = await fetch(`${node.url}/events`);
      let held = '';
      for await (const chunk of response.body ?? []) {
        held += Buffer.from(chunk).toString();
        for (let end = held.indexOf('\n\n'); end >= 0; end = held.indexOf('\n\n')) {
          const frame = held.slice(0, end);
          held = held.slice(end + 2);
          if (!frame.includes(`event: ${type}`)) continue;
          yield JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Record<string, unknown>;
        }
      }
    },
    replug: async () => {
      node.bench.usb.plug(printer);
      await settled();
    },
    unplug: async () => {
      node.bench.usb.unplug(printer);
      await settled();
    },
  };
}

const { setTimeout: later } = globalThis;
const now = performance.now.bind(performance);

/** Between two looks: so long that looking takes a part of a processor alone, and the whole wait hardly longer. In ms. */
const pauseOf = (lookMs: number, waitedMs: number): number =>
  Math.max(5, Math.min(waitedMs / 30, 50), Math.min(lookMs * 2, 500));

/** A connection to this host and port, once something listens: another program may have had the port while no printer was bound. */
export async function opened(address: string): Promise<Socket> {
  const [host = '', port = ''] = address.split(':');
  const attempt = () =>
    new Promise<Socket | undefined>((give) => {
      const socket = connect({ host, port: Number(port), noDelay: true });
      socket.on('error', () => give(undefined));
      socket.on('connect', () => {
        // See `dial`.
        if (socket.localPort === socket.remotePort) socket.destroy(new Error('nothing listens there'));
        else give(socket);
      });
    });
  return (await until(attempt))!;
}

/**
 * Looks again and again, and resolves with what it saw once that `fits`; where `fits` is left out, once it is truthy.
 * The test's own time-out is the limit: it then says what was waited for, and what was seen last. Counts as an assertion.
 */
export async function until<T>(look: () => T | Promise<T>, fits: (seen: T) => boolean = Boolean): Promise<T> {
  let last: { readonly seen: T } | undefined;
  let state: 'waits' | 'over' = 'waits';
  if (TestRunner.getCurrentTest() !== undefined) {
    onTestFailed(({ task }) => {
      if (state === 'over') return;
      state = 'over';
      const seen = last === undefined ? 'nothing' : inspect(last.seen, { depth: 4 });
      task.result?.errors?.push({
        name: 'Waited in vain',
        message: `for ${fits === Boolean ? look : fits}\nand saw last: ${seen}`,
      });
    });
  }
  const began = now();
  while (state === 'waits') {
    const from = now();
    last = { seen: await look() };
    if (fits(last.seen)) break;
    const ms = pauseOf(now() - from, now() - began);
    await new Promise((resolve) => later(resolve, ms));
  }
  state = 'over';
  const { seen } = last as { readonly seen: T };
  expect(fits(seen)).toBe(true);
  return seen;
}
