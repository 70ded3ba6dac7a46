/** The native USB binding on a real kernel: what the shared suite cannot ask of a virtual bus. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createUsbBinding } from '../../../runtime/bindings/native/usb.ts';
import type { UsbDevice } from '../../../runtime/bindings/usb.ts';
import {
  claim,
  claimed,
  failureOf,
  patient,
  pattern,
  Reports,
  type UsbBench,
  within,
} from '../../bindings/usb-bench.ts';
import { usbConformance } from '../../bindings/usb-conformance.ts';
import { GadgetPrinter, until } from './gadget.ts';
import { driverOf, loadUsb, openNodes, startUdev } from './kernel.ts';
import type { It } from './suite.ts';

const DESCRIPTION = {
  port: 0,
  vendorId: '04b8',
  productId: '0e28',
  make: 'EPSON',
  model: 'TM-T20III',
  serial: 'X7XX000001',
  deviceId: 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;CLS:PRINTER;DES:EPSON TM-T20III;',
} as const;

let made: Promise<GadgetPrinter> | undefined;
/** One gadget serves every case. */
const printer = (): Promise<GadgetPrinter> => {
  made ??= GadgetPrinter.create(DESCRIPTION);
  return made;
};

async function createBench(): Promise<UsbBench> {
  const gadget = await printer();
  const usb = createUsbBinding();
  const { vendorId, productId, make, model, serial, deviceId } = DESCRIPTION;
  return {
    usb,
    printer: { vendorId, productId, make, model, serial },
    deviceId,
    plug: () => gadget.plug(),
    unplug: () => gadget.unplug(),
    take: (count) => gadget.take(count),
    takeAll: () => gadget.takeAll(),
    answer: (message) => gadget.answer(message),
    async dispose() {
      await usb.stop();
      await gadget.unplug();
    },
  };
}

/** Another program with the printer's interface in its hands. */
async function holdElsewhere({ identity }: UsbDevice): Promise<ChildProcess> {
  const program = `
    const { usb } = require('usb');
    const device = usb.getDeviceList().find(({ deviceDescriptor: { idVendor } }) => idVendor === 0x${identity.vendorId});
    device.open();
    const printer = device.interface(0);
    if (printer.isKernelDriverActive()) printer.detachKernelDriver();
    printer.claim();
    console.log('held');`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await within(once(child.stdout, 'data'), 'the other program to claim');
  return child;
}

export function bindingSuite(it: It): void {
  it('starts on a machine without a USB bus, and finds the bus and its devices when there is one', async () => {
    const reports = new Reports();
    const usb = createUsbBinding();
    await usb.start(reports);
    assert.equal(usb.state, 'no_bus');
    loadUsb();
    await until(async () => usb.state === 'ok' || undefined, 'the bus');
    const gadget = await printer();
    await gadget.plug();
    const { identity } = await reports.next('connect');
    assert.equal(`${identity.vendorId}:${identity.productId}`, '04b8:0e28');
    await gadget.unplug();
    await reports.next('disconnect');
    await usb.stop();
    assert.deepEqual(reports.all, ['connect', 'disconnect'], 'without udevd, and without root hubs');
    startUdev();
  });

  usbConformance(it, createBench);

  const given = (promise: string, check: (bench: UsbBench) => Promise<void>) =>
    it(promise, async () => {
      const bench = await createBench();
      try {
        await check(bench);
      } finally {
        await bench.dispose();
      }
    });

  given('takes the interface from usblp, and gives it back on close', async (bench) => {
    const { device } = await claimed(bench);
    const driver = () => driverOf(device.identity.port);
    assert.equal(driver(), 'usbfs');
    await device.close();
    assert.equal(driver(), 'usblp');
    await claim(device);
    assert.equal(driver(), 'usbfs');
    await bench.usb.stop();
    assert.equal(driver(), 'usblp');
    assert.equal(openNodes(), 0);
  });

  given('says busy while another program holds the interface', async (bench) => {
    const { device } = await claimed(bench);
    await device.close();
    const other = await holdElsewhere(device);
    try {
      await device.open();
      assert.equal((await failureOf(device.claim(0))).fault, 'busy');
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    await device.claim(0);
  });

  given('holds no file open after twenty devices came and went with transfers pending', async (bench) => {
    const reports = new Reports();
    await bench.usb.start(reports);
    for (let round = 0; round < 20; round += 1) {
      await bench.plug();
      const device = await reports.next('connect');
      const pipes = await claim(device);
      await device.transferOut(pipes.out, pattern(100, round), patient);
      assert.deepEqual(await bench.take(100), pattern(100, round));
      const read = failureOf(device.transferIn(pipes.in, 64, patient));
      await bench.unplug();
      assert.equal((await read).fault, 'disconnected');
      assert.equal(await reports.next('disconnect'), device);
    }
    await until(async () => openNodes() === 0 || undefined, 'the last file to be closed');
  });
}
