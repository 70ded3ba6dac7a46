/** A node with scanners on its bus, and the few calls that tests make on it. */
import type { ScannerSettings, Scans } from '../../../plugins/scanner/contract.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

export interface ScanningNode extends TestNode {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  configure(scanner: Partial<ScannerSettings>): Promise<void>;
  /** The scan log once it has counted so many reads, rejected ones included. */
  scans(reads: number): Promise<Scans>;
  /** Data of the SSE frames of a type, as they come. */
  events(type: string): Promise<AsyncIterator<Record<string, unknown>>>;
  plug(device: VirtualDevice): Promise<void>;
  unplug(device: VirtualDevice): Promise<void>;
  /** How GET /status shows the scanner endpoint. */
  condition(): Promise<Record<string, unknown>>;
}

/** Makes the node know a device by its row, so that it need not wait for a quiet bus to be probed. */
export const rowFor = (options: RecipeRow['options'] = {}, codec = 'hid-pos'): RecipeRow => ({
  id: 'pos-under-test',
  vendorId: '05f9',
  productId: '1206',
  make: 'Datalogic',
  model: 'POS',
  kind: 'scanner',
  codec,
  options,
});

export async function startScanningNode(
  devices: readonly VirtualDevice[],
  {
    recipes = [rowFor()],
    settings = {},
    plugins = wifiPlugins,
  }: {
    recipes?: readonly RecipeRow[];
    settings?: Partial<ScannerSettings>;
    plugins?: typeof wifiPlugins;
  } = {},
): Promise<ScanningNode> {
  const node = await startTestNode({ plugins, recipes });
  const call: ScanningNode['call'] = async (method, path, body) => {
    const response = await fetch(`${node.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const settled = async () => {
    await Promise.resolve();
    await node.kernel.hotplug.settled();
  };
  const scanning: ScanningNode = {
    ...node,
    call,
    configure: async (scanner) => {
      const { status, body } = await call('PUT', '/config', { scanner });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    scans: async (reads) => {
      let log: Scans | undefined;
      await until(async () => {
        log = (await call('GET', '/scans')).body as unknown as Scans;
        return log.accepted + log.rejected >= reads;
      });
      return log as Scans;
    },
    events: async (type) => framesOf(await fetch(`${node.url}/events`), type),
    plug: async (device) => {
      node.bench.usb.plug(device);
      await settled();
    },
    unplug: async (device) => {
      node.bench.usb.unplug(device);
      await settled();
    },
    condition: async () => {
      const { peripherals } = (await call('GET', '/status')).body as { peripherals: Record<string, unknown>[] };
      return peripherals.find(({ endpoint }) => endpoint === 'scanner') ?? {};
    },
  };
  if (Object.keys(settings).length > 0) await scanning.configure(settings);
  for (const device of devices) await scanning.plug(device);
  return scanning;
}

async function* framesOf(response: Response, type: string): AsyncGenerator<Record<string, unknown>> {
  let held = '';
  for await (const chunk of response.body ?? []) {
    held += Buffer.from(chunk).toString();
    for (let end = held.indexOf('\n\n'); end >= 0; end = held.indexOf('\n\n')) {
      const frame = held.slice(0, end);
      held = held.slice(end + 2);
      if (frame.includes(`event: ${type}\n`)) {
        yield JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Record<string, unknown>;
      }
    }
  }
}
