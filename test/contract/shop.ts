/** A whole node with every virtual device plugged in, on a machine of its own, with a cloud; and requests to it. */
import { onTestFinished } from 'vitest';
import { VirtualPrinter, type VirtualPrinterOptions } from '../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../runtime/assembly/variant/beside-sources.ts';
import { VirtualBoot, type VirtualSlots } from '../../runtime/bindings/virtual/boot.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import type { Plugin } from '../../runtime/kernel/plugin.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../runtime/node/testing.ts';
import { cabled, type TestRadio } from '../bindings/test-radio.ts';
import { twinDevices } from '../devices.ts';
import { visit } from '../http/visit.ts';
import { FLOOR, key } from '../made-images.ts';
import { until } from '../node.ts';
import { cameraPlugins, twinPlugins } from '../plugins.ts';
import { fromMirrors } from './mirrors.ts';

export interface ShopOptions {
  readonly variant?: 'camera' | 'twin';
  readonly storage?: VirtualStorage;
  readonly radio?: TestRadio;
  readonly appliance?: boolean;
  readonly printer?: VirtualPrinterOptions;
  readonly limits?: TestNodeOptions['limits'];
}
export interface Shop extends TestNode {
  readonly printer: VirtualPrinter;
  readonly slots: VirtualSlots;
  settled(): Promise<void>;
  /** Pulls out the device of each of these rooms, where there is one. */
  unplug(...rooms: readonly string[]): Promise<void>;
}

export const UPDATE_KEY = 'update-key-0123456789';

/** What stands in the place of a room, where that would change while a test looks. */
const patient = (await fromMirrors<{ readonly inShop: Plugin }>('shop.ts')).map(({ inShop }) => inShop);
const withPatience = (plugins: readonly Plugin[]) =>
  plugins.map((room) => patient.find(({ name }) => name === room.name) ?? room);
const PLUGINS = { camera: withPatience(cameraPlugins), twin: withPatience(twinPlugins) };

/** The job that the run before left in doubt. */
export const IN_DOUBT = {
  ...{ seq: 1, state: 'running', kind: 'print', endpoint: 'receipt', from: '192.168.1.7', id: 'table 7' },
  ...{ at: 1_750_000_000_000, ms: 100, bytes: 447, totalBytes: 7727 },
} as const;

export async function startShop(options: ShopOptions = {}): Promise<Shop> {
  const {
    variant = 'camera',
    storage = new VirtualStorage(),
    radio = cabled(),
    printer: how = {},
    appliance = true,
  } = options;
  const printer = new VirtualPrinter(how);
  // The run before ended in a crash, as its launcher saw it: the boot log has both records.
  const boot = new VirtualBoot({ reason: 'crash', previous: { uptimeSeconds: 7, detail: 'SIGSEGV' } });
  if ((await storage.read('jobs')) === undefined)
    await storage.write('jobs', Buffer.from(`${JSON.stringify(IN_DOUBT)}\n`));
  const node = await startTestNode({
    plugins: PLUGINS[variant],
    beside: besideSources,
    devices: { ...twinDevices, printer: () => printer },
    boot,
    storage,
    ...(options.limits && { limits: options.limits }),
    image: { variant, hardware: { bands: ['2.4'] }, trustedKeys: [rawPublicKey(key)], securityFloor: FLOOR },
    run: { appliance },
    bindings: () => ({ radio }),
  });
  onTestFinished(() => node.stop());
  const { kernel } = node;
  const settled = async () => {
    await Promise.resolve();
    await kernel.hotplug.settled();
  };
  if (how.deviceId === undefined) {
    await until(() => (kernel.status()['printers'] as [{ known: boolean }])[0].known);
  }
  await kernel.settings.update((draft) => {
    draft['updateKey'] = UPDATE_KEY;
  });
  const unplug = async (...rooms: readonly string[]) => {
    for (const room of rooms) {
      const device = node.bench.devices.get(room);
      if (device !== undefined) node.bench.usb.unplug(device);
    }
    await settled();
  };
  return { ...node, printer, slots: boot.slots as VirtualSlots, settled, unplug };
}

export interface Ask {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly method?: string;
  readonly path?: string;
}
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const jsonOf = ({ text }: Answer): Record<string, unknown> => JSON.parse(text);

/** One request; an object goes as JSON, text and bytes as they are. */
export async function send(node: { readonly url: string }, route: string, ask: Ask = {}): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const { body = '' } = ask;
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const length = ask.headers?.['Transfer-Encoding'] ? {} : { 'Content-Length': String(Buffer.byteLength(sent)) };
  const { status, headers, text } = await visit(
    node,
    ask.path ?? path,
    { ...length, ...ask.headers } as Record<string, string>,
    { method: ask.method ?? method, body: sent as string, address: new URL(node.url).hostname },
  );
  return { status, headers, text, type: String(headers['content-type']) };
}
