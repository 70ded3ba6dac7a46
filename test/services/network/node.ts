/** A node that owns its machine, with a virtual printer and the test's radio. */
import { onTestFinished } from 'vitest';
import printerRoom from '../../../plugins/printer/index.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import type { Logger } from '../../../runtime/kernel/log.ts';
import type { ImageInfo } from '../../../runtime/kernel/node.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import capture from '../../../runtime/services/capture/index.ts';
import custody from '../../../runtime/services/custody/index.ts';
import { network } from '../../../runtime/services/network/index.ts';
import type { Timings } from '../../../runtime/services/network/timings.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { TestRadio } from '../../bindings/test-radio.ts';

/** Short enough for a test, long enough to tell one from the other. */
export const SHORT: Timings = {
  healMs: 120,
  backOffMs: [5, 10],
  quietMs: 150,
  settleMs: 20,
  answerMs: 20,
  silenceMs: 60,
  againMs: 60_000,
  leaseMs: 40,
  askMs: 5,
  reopenMs: [5, 10],
  stopMs: 500,
};

export interface NetworkNode extends TestNode {
  readonly radio: TestRadio;
  readonly printer: VirtualPrinter;
  readonly logged: string[];
  get(path: string): Promise<{ status: number; body: Record<string, unknown> }>;
  send(
    method: string,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
}

export interface NetworkNodeOptions {
  readonly radio?: TestRadio;
  readonly storage?: VirtualStorage;
  readonly timings?: Partial<Timings>;
  readonly image?: Partial<ImageInfo>;
  readonly appliance?: boolean;
  /** Where the front listens. */
  readonly host?: string;
  /** Whether the printer's room and its virtual device are there. */
  readonly printer?: boolean;
  /** The machine has nobody who manages its network. */
  readonly unmanaged?: boolean;
}

export async function startNetworkNode(options: NetworkNodeOptions = {}): Promise<NetworkNode> {
  const { radio = new TestRadio(), storage = new VirtualStorage(), timings, image = {}, appliance = true } = options;
  const { host = '127.0.0.1' } = options;
  const printer = new VirtualPrinter();
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: write, info: write, warn: write, error: write };
  const rooms = options.printer ? [status, settings, custody, capture, printerRoom] : [status, settings, custody];
  const plugins = [...rooms, network({ ...SHORT, ...timings })];
  const node = await startTestNode({
    plugins,
    storage,
    image,
    log,
    run: { appliance, host },
    ...(options.printer ? {} : { recipes: [] }),
    devices: options.printer ? { printer: () => printer } : {},
    bindings: () => (options.unmanaged ? {} : { radio }),
  });
  onTestFinished(() => node.stop());
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${node.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { ...node, radio, printer, logged, get: (path) => send('GET', path), send };
}
