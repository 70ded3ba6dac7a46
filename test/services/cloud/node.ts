/** A node with a cloud: a virtual printer behind it, and a receiver that plays the cloud. */
import { SyncBailHook } from 'tapable';
import { onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import type { Updates } from '../../../runtime/image/updates.ts';
import type { Logger } from '../../../runtime/kernel/log.ts';
import type { Pauses } from '../../../runtime/kernel/parked.ts';
import { definePlugin, type Plugin } from '../../../runtime/kernel/plugin.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { cloud } from '../../../runtime/services/cloud/index.ts';
import type { Behaviour, Received } from '../../http/receiver.ts';
import { wifiPlugins } from '../../plugins.ts';

export const TOKEN = 'open-sesame-0123456789';

export interface CloudNode extends TestNode {
  readonly printer: VirtualPrinter;
  /** Everything that was logged, as JSON lines. */
  readonly logged: string[];
  readonly events: Record<string, unknown>[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
}
export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
export interface CloudNodeOptions {
  readonly storage?: VirtualStorage;
  readonly plugged?: boolean;
  readonly recipesRetryMs?: number;
  /** Beside the others, or in the place of the one that has its name. */
  readonly also?: readonly Plugin[];
}

/** In the place of the update room. */
export const updateRoom = (
  install: Updates['install'] = () => Promise.reject(new Error('installs nothing')),
  policy: Updates['policy'] = 'off',
): Plugin => {
  const updates: Updates = { source: new SyncBailHook(), policy, install };
  return definePlugin({ name: 'update', api: 2, offers: () => updates });
};

/** A virtual bus is quiet at once: a tenth of the pauses of a node among real devices. */
const SHORT_PAUSES: Pauses = [200, 400, 800, 1600, 3200];

export async function startCloudNode(options: CloudNodeOptions = {}): Promise<CloudNode> {
  const { storage = new VirtualStorage(), plugged = true, also = [], recipesRetryMs } = options;
  const printer = new VirtualPrinter();
  const logged: string[] = [];
  const say = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
  const log = { debug: say, info: say, warn: say, error: say, fatal: say } as unknown as Logger;
  const events: Record<string, unknown>[] = [];
  // From the beginning: a node that has a cloud sends its first heartbeat while it starts.
  const listener = definePlugin({
    name: 'listener',
    api: 2,
    room: ({ hooks }) => hooks.event.tap('listener', (event) => void events.push(event)),
  });
  // Images go to what the test puts in the place of the update room.
  const own = [
    cloud({ startMs: 0, downloadRetryMs: 1, ...(recipesRetryMs !== undefined && { recipesRetryMs }) }),
    ...also,
  ];
  const replaced = ['update', ...own.map(({ name }) => name)];
  const node = await startTestNode({
    plugins: [...wifiPlugins.filter(({ name }) => !replaced.includes(name)), ...own, listener],
    storage,
    log,
    pausesMs: SHORT_PAUSES,
    ...(plugged && { devices: { printer: () => printer } }),
  });
  onTestFinished(() => node.stop());
  return {
    ...node,
    printer,
    logged,
    events,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${node.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

/** Answers by path; what is not named gets 404. */
export const routes =
  (table: Readonly<Record<string, Behaviour>>): Behaviour =>
  (socket, received) =>
    (table[new URL(received.target, 'http://a').pathname] ?? reply(404))(socket, received);

/** A whole answer; text and bytes are sent as they are, an object as JSON. */
export const reply =
  (status: number, body: unknown = '', ...fields: readonly string[]): Behaviour =>
  (socket) => {
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const head = [`HTTP/1.1 ${status} So`, `Content-Length: ${Buffer.byteLength(sent)}`, ...fields];
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(sent)]));
  };

export const at = (path: string) => (received: Received) => new URL(received.target, 'http://a').pathname === path;
