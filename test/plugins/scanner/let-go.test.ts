/** A keyboard that was taken for a scanner, and the scanner that comes after it. */
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { until } from '../../node.ts';
import { rowFor, type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());

const keyboard = () => new VirtualWedgeScanner({ vendorId: 0x046d, productId: 0xc31c, model: 'USB Keyboard' });
const bound = async () => ((await node.condition())['device'] as { vendorId?: string } | undefined)?.vendorId;

describe('a keyboard that was taken for a scanner', () => {
  it('is let go for a scanner, and comes back when that goes', async () => {
    const office = keyboard();
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([office]);
    expect(await bound()).toBe('046d');
    await node.plug(scanner);
    expect(await bound()).toBe('05f9');
    office.scan('HELLO');
    scanner.scan('4006381333931');
    expect((await node.scans(1)).scans.map(({ value }) => value)).toEqual(['4006381333931']);
    await node.unplug(scanner);
    await until(async () => (await bound()) === '046d');
    office.scan('HELLO');
    expect((await node.scans(2)).scans[0]).toMatchObject({ value: 'HELLO' });
  });

  it('keeps its endpoint where the scanner cannot be bound', async () => {
    const scanner = new VirtualPosScanner();
    scanner.misbehave({ heldElsewhere: true });
    node = await startScanningNode([keyboard()]);
    await node.plug(scanner);
    expect(await node.condition()).toMatchObject({ condition: 'bound', device: { vendorId: '046d' } });
    scanner.misbehave({ heldElsewhere: false });
    await until(async () => (await bound()) === '05f9');
  });

  it('is not let go for a row that refuses', async () => {
    const { codec: _, ...row } = rowFor();
    node = await startScanningNode([keyboard()], { recipes: [{ ...row, refuse: 'SNAPI' }] });
    await node.plug(new VirtualPosScanner());
    expect(await bound()).toBe('046d');
  });

  it('is not let go for another keyboard', async () => {
    node = await startScanningNode([keyboard()]);
    await node.plug(new VirtualWedgeScanner({ vendorId: 0x1234, productId: 0x5678 }));
    expect(await bound()).toBe('046d');
  });
});
