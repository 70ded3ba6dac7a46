/** Plays a case of the public record: its devices are plugged in, one after the other, and the node says what it saw. */
import type { ScannerSettings } from '../../plugins/scanner/contract.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { until } from '../node.ts';
import { twinPlugins } from '../plugins.ts';
import { FieldDevice, type FieldRecord, hex } from './device.ts';

/** Every room that drives devices, as a variant may have them together. */
const plugins = twinPlugins.filter(({ name }) => name !== 'twin');

type Fields = Readonly<Record<string, unknown>>;

/** A file of test/field/devices. */
export interface FieldCase {
  /** A sentence: what becomes of these devices, and why. */
  readonly says: string;
  /** Where the facts are from. */
  readonly source: string;
  readonly settings?: Partial<ScannerSettings>;
  /** In the order in which they are plugged in. */
  readonly devices: readonly FieldRecord[];
  /** Parts of GET /status and GET /scans. */
  readonly expect: {
    /** By endpoint. */
    readonly peripherals?: Readonly<Record<string, Fields>>;
    /** By `vendor:product`. */
    readonly rejections?: Readonly<Record<string, Fields>>;
    /** Newest first. */
    readonly scans?: readonly Fields[];
    readonly scale?: Fields;
    readonly printers?: readonly Fields[];
    /** GET /camera/frame: the markers of its segments up to the scan, in hexadecimal. */
    readonly frame?: string;
  };
}

/** What a node showed once nothing waits to be tried any more. */
export interface Shown {
  readonly peripherals: Readonly<Record<string, Fields>>;
  readonly rejections: Readonly<Record<string, Fields>>;
  readonly scans: readonly Fields[];
  readonly scale: Fields;
  readonly printers: readonly Fields[];
  readonly frame?: string;
}

/** Plays a case; the reports of a device are sent once it is bound. */
export async function play({ settings, devices, expect }: FieldCase): Promise<Shown> {
  const node = await startTestNode({ plugins, image: { usbChannels: 64 } });
  const get = async (path: string) => (await (await fetch(`${node.url}${path}`)).json()) as Fields;
  const status = async () =>
    (await get('/status')) as { peripherals: Fields[]; rejections: Fields[]; printers: Fields[] };
  try {
    const configure = (change: object) => fetch(`${node.url}/config`, { method: 'PUT', body: JSON.stringify(change) });
    if (settings !== undefined) await configure({ scanner: settings });
    const streams: (() => void)[] = [];
    for (const [at, record] of devices.entries()) {
      const device = new FieldDevice(record);
      const port = `1-${at + 1}`;
      if (record.assigned !== undefined) await configure({ serial: { [port]: record.assigned } });
      node.bench.usb.plug(device, port);
      for (let left = record.reconnects ?? 0; left > 0; left -= 1) {
        await Promise.resolve();
        node.bench.usb.unplug(device);
        node.bench.usb.plug(device, port);
      }
      await until(() => isDecided(node, device));
      const report = (each: string) => device.report(hex(each), record.reportPipe);
      record.reports?.forEach(report);
      const last = record.reports?.at(-1);
      if (record.assigned !== undefined && last !== undefined) streams.push(() => report(last));
    }
    const { scans: reads = [], scale = {} } = expect;
    const read = async () => (await get('/scans'))['scans'] as readonly Fields[];
    const scans = await until(read, (seen) => seen.length >= reads.length);
    const weighs = (seen: Fields) => Object.entries(scale).every(([key, value]) => seen[key] === value);
    const weighed = await until(() => {
      // A scale that sends by itself says the same again and again.
      for (const say of streams) say();
      return get('/scale');
    }, weighs);
    const { peripherals, rejections, printers } = await status();
    const frame = expect.frame === undefined ? undefined : await fetch(`${node.url}/camera/frame`);
    return {
      peripherals: Object.fromEntries(peripherals.map((each) => [String(each['endpoint']), each])),
      rejections: Object.fromEntries(
        rejections.toReversed().map((each) => [`${each['vendorId']}:${each['productId']}`, each]),
      ),
      scans,
      scale: weighed,
      printers,
      ...(frame && { frame: markersOf(Buffer.from(await frame.arrayBuffer())) }),
    };
  } finally {
    await node.stop();
  }
}

/** The markers of a JPEG from SOI to SOS (ITU-T T.81, B.1.1.2). */
function markersOf(jpeg: Buffer): string {
  const markers: string[] = [];
  for (let at = 0; at + 4 <= jpeg.length && markers.at(-1) !== 'da'; ) {
    markers.push(jpeg.toString('hex', at + 1, at + 2));
    at += markers.length === 1 ? 2 : 2 + jpeg.readUInt16BE(at + 2);
  }
  return markers.join(' ');
}

/** Whether the node has bound or refused the device, or knows nothing that it could be. */
function isDecided({ kernel }: Awaited<ReturnType<typeof startTestNode>>, { descriptors }: FieldDevice): boolean {
  const id = (at: number) => (descriptors[at]! | (descriptors[at + 1]! << 8)).toString(16).padStart(4, '0');
  const entry = [...kernel.ledger.devices].findLast(
    ({ identity }) => identity.vendorId === id(8) && identity.productId === id(10),
  );
  return entry !== undefined && entry.state !== 'met' && entry.state !== 'parked';
}
