/** Discovery by the native USB binding, on folders laid out as Linux lays out sysfs and devtmpfs. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUsbBinding } from '../../runtime/bindings/native/usb.ts';
import type { NativeUsbDevice } from '../../runtime/bindings/native/usb-device.ts';
import type { UsbBinding } from '../../runtime/bindings/usb.ts';
import { describe as descriptorsOf } from '../../runtime/bindings/virtual/device.ts';
import { failureOf, Reports } from './usb-bench.ts';

const PRINTER = {
  vendorId: 0x04b8,
  productId: 0x0e28,
  interfaces: [
    {
      ...{ class: 7, subclass: 1, protocol: 2 },
      pipes: [{ address: 0x01, type: 'bulk' as const, maxPacketSize: 64 }],
    },
  ],
};
const HUB = { vendorId: 0x1a40, productId: 0x0101, class: 9, interfaces: [] };
/** A bus number no machine reaches, should this one have USB of its own. */
const BUS = 250;

let root: string;
let sysfs: string;
let devfs: string;
let usb: UsbBinding;
let reports: Reports;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sysfs-'));
  sysfs = join(root, 'sys/bus/usb/devices');
  devfs = join(root, 'dev/bus/usb');
  usb = createUsbBinding({ sysfs, devfs });
  reports = new Reports();
});
afterEach(async () => {
  await usb.stop();
  await rm(root, { recursive: true });
});

const node = (address: number) => join(devfs, String(BUS), String(address).padStart(3, '0'));

/** As the kernel does it: the entry with its files first, then the node. */
async function add(name: string, address: number, files: Record<string, string | Uint8Array>): Promise<void> {
  const entry = join(sysfs, name);
  await mkdir(entry, { recursive: true });
  const all = { busnum: `${BUS}\n`, bConfigurationValue: '1\n', ...files, devnum: `${address}\n` };
  for (const [file, content] of Object.entries(all)) await writeFile(join(entry, file), content);
  await mkdir(join(devfs, String(BUS)), { recursive: true });
  await writeFile(node(address), '');
}

async function remove(name: string, address: number): Promise<void> {
  await rm(join(sysfs, name), { recursive: true });
  await rm(node(address));
}

const addRootHub = () => add(`usb${BUS}`, 1, { descriptors: descriptorsOf(HUB), product: 'xHCI Host Controller\n' });
const printer = { descriptors: descriptorsOf(PRINTER), manufacturer: 'EPSON\n', product: 'TM-T20III\n' };

describe('the native USB binding', () => {
  it('knows a device by its port path, ids, strings and interfaces', async () => {
    await add('250-1.4', 7, { ...printer, serial: 'X7XX000001\n' });
    await usb.start(reports);
    const { identity } = await reports.next('connect');
    expect(identity).toMatchObject({ vendorId: '04b8', productId: '0e28', make: 'EPSON', model: 'TM-T20III' });
    expect(identity).toMatchObject({ serial: 'X7XX000001', port: '250-1.4', class: 0 });
    expect(identity.interfaces).toMatchObject([{ number: 0, class: 7, subclass: 1, protocol: 2 }]);
    expect(identity.interfaces[0]?.pipes).toEqual([{ address: 1, direction: 'out', type: 'bulk', maxPacketSize: 64 }]);
  });

  it('reports hubs, but neither root hubs nor interfaces', async () => {
    await addRootHub();
    await add('250-1', 2, { descriptors: descriptorsOf(HUB) });
    await mkdir(join(sysfs, '250-1:1.0'));
    await usb.start(reports);
    expect((await reports.next('connect')).identity).toMatchObject({ port: '250-1', class: 9, make: '', model: '' });
    expect(reports.all).toEqual(['connect']);
  });

  it('says why it does not understand a device, and still tells its ids', async () => {
    await add('250-1', 2, { ...printer, descriptors: descriptorsOf(PRINTER).subarray(0, 20) });
    await usb.start(reports);
    const { identity } = await reports.next('connect');
    expect(identity).toMatchObject({ vendorId: '04b8', productId: '0e28', model: 'TM-T20III', interfaces: [] });
    expect(identity.malformed).toMatch(/cut off/);
  });

  it('describes the configuration in use, not the first one', async () => {
    const second = descriptorsOf({ ...HUB, class: 0, interfaces: [], selfPowered: true }).slice(18);
    second[5] = 2;
    const descriptors = Buffer.concat([descriptorsOf(PRINTER), second]);
    await add('250-1', 2, { descriptors, bConfigurationValue: '2\n' });
    await usb.start(reports);
    expect((await reports.next('connect')).identity).toMatchObject({ interfaces: [], selfPowered: true });
  });

  it('reports a device once the kernel has set it up, or leaves it without a configuration', async () => {
    await add('250-1', 2, { ...printer, bConfigurationValue: '\n' });
    await usb.start(reports);
    expect(reports.all).toEqual([]);
    expect((await reports.next('connect')).identity.model).toBe('TM-T20III');
  });

  it('reports what is plugged in and pulled out', async () => {
    await addRootHub();
    await usb.start(reports);
    await add('250-1', 2, printer);
    const device = await reports.next('connect');
    await remove('250-1', 2);
    expect(await reports.next('disconnect')).toBe(device);
    expect((await failureOf(device.open())).fault).toBe('disconnected');
  });

  it('takes another address at the same port for another device', async () => {
    await add('250-1', 2, printer);
    await usb.start(reports);
    const first = await reports.next('connect');
    await add('250-1', 3, printer);
    expect(await reports.next('disconnect')).toBe(first);
    expect(await reports.next('connect')).not.toBe(first);
    expect(reports.all).toEqual(['connect', 'disconnect', 'connect']);
  });

  it('reports a device that libusb has lost as gone, and anew if it is there after all', async () => {
    await add('250-1', 2, printer);
    await usb.start(reports);
    const first = await reports.next('connect');
    (first as NativeUsbDevice).unplugged();
    expect(await reports.next('disconnect')).toBe(first);
    const second = await reports.next('connect');
    expect(second).not.toBe(first);
    expect(second.identity).toEqual(first.identity);
    expect((await failureOf(first.open())).fault).toBe('disconnected');
  });

  it.each([
    ['no folder of devices', async () => {}],
    ['an empty one', async () => void (await mkdir(sysfs, { recursive: true }))],
  ])('says no_bus with %s, and ok as soon as there is a bus', async (_, prepare) => {
    await prepare();
    await usb.start(reports);
    expect(usb.state).toBe('no_bus');
    await addRootHub();
    await add('250-1', 2, printer);
    await reports.next('connect');
    await expect.poll(() => usb.state).toBe('ok');
  });

  it('says no_access when no device node may be opened', async () => {
    await addRootHub();
    await add('250-1', 2, printer);
    await rm(node(2));
    await usb.start(reports);
    expect(usb.state).toBe('no_access');
    expect(reports.all).toEqual(['connect']);
  });

  it('gives up opening a device that libusb does not know', async () => {
    await add('250-1', 2, printer);
    await usb.start(reports);
    const device = await reports.next('connect');
    expect((await failureOf(device.open())).fault).toBe('access');
    await device.close();
  });
});
