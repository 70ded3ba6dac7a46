/** A node whose links are only said to be there, on a wire that the test holds. */
import { onTestFinished as onFinished } from 'vitest';
import printer from '../../../plugins/printer/index.ts';
import { createVirtualDevice } from '../../../plugins/printer/virtual/device.ts';
import { VirtualLinks } from '../../../runtime/bindings/virtual/links.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { withEndpoints } from '../../../runtime/kernel/composition.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { createDiscovery } from '../../../runtime/services/discovery/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { FakeWire, find, LAN } from './responder.ts';

/** An address that this machine listens on, said to be that of a link. */
const HOST = '127.77.0.1';
export const LINK = { ...LAN, addresses: [{ family: 4, address: HOST, prefix: 24 } as const] };

type Finished = { onTestFinished(run: () => Promise<void>): void };

export async function startProfileNode(
  { onTestFinished }: Finished = { onTestFinished: onFinished },
  { links = [LINK], host = HOST, switchMs = 4000, printers = ['receipt'] } = {},
) {
  const wire = new FakeWire();
  const storage = new VirtualStorage();
  const virtual = new VirtualLinks();
  virtual.set(links);
  const plugins = withEndpoints([status, settings, createDiscovery(wire.open, switchMs), printer], {
    printer: printers,
  });
  const devices = printers.map(createVirtualDevice);
  const [device = createVirtualDevice()] = devices;
  const started = await startTestNode({
    plugins,
    devices: Object.fromEntries(devices.map((each, n) => [`printer${n}`, () => each])),
    recipes: [],
    storage,
    run: { host },
    bindings: () => ({ links: virtual }),
  });
  onTestFinished(() => started.stop());
  const { kernel, url } = started;
  const deviceId = kernel.settings.read('identity')?.deviceId ?? '';
  const put = async (patch: object) => {
    const response = await fetch(`${url}/config`, { method: 'PUT', body: JSON.stringify(patch) });
    return { status: response.status, error: ((await response.json()) as { error?: string }).error };
  };
  const config = async () => (await (await fetch(`${url}/config`)).json()) as Record<string, unknown>;
  /** What was announced under this service type, last. */
  const instance = (type = '_pdl-datastream._tcp') =>
    (find([...wire.sent].reverse(), 'PTR', `${type}.local`)?.data as string | undefined)?.split(`.${type}`)[0];
  const isUp = () => instance() !== undefined && instance('_http._tcp') !== undefined;
  return { ...started, device, devices, wire, storage, virtual, deviceId, put, config, instance, isUp };
}

/** Somebody else has every name that is probed for and begins so. */
export function contest(wire: FakeWire, start: string): void {
  const keep = wire.sent.push.bind(wire.sent);
  wire.sent.push = (...sent) => {
    for (const { questions, response } of sent) {
      const name = questions[0]?.name ?? '';
      if (response || !name.startsWith(start)) continue;
      const record = { name, type: 'SRV', ttl: 120, data: { port: 1, target: 'other.local' } } as const;
      const peer = { address: '127.77.0.9', port: 5353 };
      queueMicrotask(() => wire.say({ type: 'response', answers: [record] }, peer));
    }
    return keep(...sent);
  };
}
