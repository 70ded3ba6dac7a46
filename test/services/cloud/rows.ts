/** A device that is plugged into a node whose cloud has rows for it. */
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { reply, routes, startCloudNode, TOKEN } from './node.ts';

interface Status {
  readonly peripherals: { endpoint: string; condition: string; recipe?: Record<string, unknown> }[];
  readonly rejections: { reason: string; detail?: string }[];
}

const CODECS: Readonly<Record<string, string>> = {
  printer: 'escpos',
  scanner: 'hid-pos',
  scale: 'hid-scale',
  camera: 'mjpeg',
};
const ID_VENDOR = 8;
/** As its device descriptor has them (USB 2.0, 9.6.1). */
export function idsOf({ descriptors }: VirtualDevice) {
  const word = (at: number) => Buffer.from(descriptors).readUInt16LE(at).toString(16).padStart(4, '0');
  return { vendorId: word(ID_VENDOR), productId: word(ID_VENDOR + 2) };
}
/** No row of the image is for these. */
export const UNLISTED = { vendorId: 0xabcd, productId: 0x0043 };
export const rowOf = ({ vendorId, productId }: { vendorId: string; productId: string }, over: object) => ({
  ...{ id: 'acme-wrong', vendorId, productId, make: 'Acme', model: 'Wrong' },
  ...over,
});
export const says = (kind: string, codec = CODECS[kind]) => ({ kind, codec });

/** A device is plugged into a node whose cloud has these rows for it. */
export async function plugged(device: VirtualDevice, ...rows: readonly object[]) {
  const node = await startCloudNode({ plugged: false });
  const ids = idsOf(device);
  const table = { rows: rows.map((row) => rowOf(ids, row)) };
  const { url } = await startReceiver(routes({ '/recipes': reply(200, table) }));
  await node.call('PUT', '/cloud', { url, token: TOKEN });
  await until(() => node.kernel.recipes.resolve(ids)?.tier === 'cloud');
  node.bench.usb.plug(device);
  const status = async () => (await node.call('GET', '/status')).body as unknown as Status;
  const at = async (endpoint: string) => (await status()).peripherals.find((each) => each.endpoint === endpoint);
  const bound = (endpoint: string) => until(async () => (await at(endpoint))?.condition === 'bound');
  return { node, status, at, bound };
}
