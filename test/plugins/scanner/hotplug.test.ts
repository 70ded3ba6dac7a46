/** Scanners that come and go, second scanners, and devices that are none. */
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { VirtualHidDevice } from '../../../runtime/bindings/virtual/hid-device.ts';
import { until } from '../../node.ts';
import { rowFor, type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());

/** A HID device of another kind, by the usage of its application: page and id. */
class OtherHid extends VirtualHidDevice {
  constructor(page: number, usage: number) {
    const reportDescriptor = Uint8Array.of(5, page, 9, usage, 0xa1, 1, 9, 0x40, 0x75, 8, 0x95, 6, 0x81, 2, 0xc0);
    super({ vendorId: 0x1234, productId: usage, boot: false, reportDescriptor, packetSize: 8 });
  }
  protected override classRequest() {
    return 'stall' as const;
  }
}

describe('the scanner endpoint', () => {
  it('is declared, and bound while a scanner is plugged in', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([]);
    expect(await node.condition()).toMatchObject({ kind: 'scanner', condition: 'never_seen' });
    await node.plug(scanner);
    expect(await node.condition()).toMatchObject({
      condition: 'bound',
      device: { vendorId: '05e0', productId: '1200' },
      recipe: { tier: 'derived', codec: 'hid-keyboard' },
    });
    await node.unplug(scanner);
    expect(await node.condition()).toMatchObject({ condition: 'gone', sinceMs: expect.any(Number) });
    const { peripherals } = (await node.call('GET', '/peripherals')).body as { peripherals: unknown[] };
    expect(peripherals).toContainEqual(
      expect.objectContaining({ id: 'scanner', kind: 'scanner', transport: 'usb', capabilities: ['scan'] }),
    );
  });

  it('keeps its log while the scanner is out, and drops a read that was cut off', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([scanner]);
    scanner.scan('first');
    await node.scans(1);
    scanner.disconnectAfterReports(4);
    scanner.scan('second');
    await until(async () => (await node.condition())['condition'] === 'gone');
    expect(await node.scans(1)).toMatchObject({ accepted: 1, rejected: 0 });
    await node.plug(scanner);
    scanner.scan('third');
    expect((await node.scans(2)).scans).toMatchObject([
      { seq: 2, value: 'third' },
      { seq: 1, value: 'first' },
    ]);
  });

  it('takes a POS scanner pulled out between two reports of a read, and plugged in again', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    scanner.disconnectAfterReports(1);
    scanner.scan('x'.repeat(100), 'qr');
    await until(async () => (await node.condition())['condition'] === 'gone');
    await node.plug(scanner);
    scanner.scan('whole', 'qr');
    expect((await node.scans(1)).scans).toMatchObject([{ value: 'whole' }]);
  });

  it('refuses a second scanner as second_scanner, which takes over when the first is gone', async () => {
    const first = new VirtualPosScanner();
    const second = new VirtualWedgeScanner();
    node = await startScanningNode([first, second]);
    expect((await node.call('GET', '/status')).body['rejections']).toMatchObject([
      { vendorId: '05e0', class: 'scanner', reason: 'second_scanner' },
    ]);
    first.scan('heard');
    expect((await node.scans(1)).scans).toMatchObject([{ value: 'heard' }]);
    await node.unplug(first);
    expect(await node.condition()).toMatchObject({ condition: 'bound', device: { vendorId: '05e0' } });
    second.scan('taken over');
    expect((await node.scans(2)).scans[0]).toMatchObject({ value: 'taken over' });
  });

  it('gives the device back when the node stops', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([scanner]);
    expect(node.bench.usb.claimedInterfaces(scanner)).toEqual([0]);
    await node.kernel.hotplug.stop();
    expect(node.bench.usb.claimedInterfaces(scanner)).toEqual([]);
  });

  it('says that a scanner could not be claimed', async () => {
    const scanner = new VirtualWedgeScanner();
    scanner.misbehave({ heldElsewhere: true });
    node = await startScanningNode([scanner]);
    expect((await node.call('GET', '/status')).body['rejections']).toMatchObject([{ reason: 'claim_failed' }]);
  });

  it('leaves scales, consumer controls and rows of other kinds alone', async () => {
    const consumer = new OtherHid(0x0c, 0x01);
    const pos = new VirtualPosScanner();
    node = await startScanningNode([new OtherHid(0x8d, 0x20), consumer, pos], {
      recipes: [{ ...rowFor(), kind: 'display', codec: 'none' }],
    });
    const undecided = () =>
      [...node.kernel.ledger.devices].filter(({ state }) => state === 'met' || state === 'parked');
    await until(() => undecided().length === 0);
    expect([...node.kernel.ledger.devices].map(({ kind }) => kind)).not.toContain('scanner');
    expect([consumer, pos].flatMap((device) => node.bench.usb.claimedInterfaces(device))).toEqual([]);
  });
});
