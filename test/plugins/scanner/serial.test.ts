/** Scanners that are a modem to USB (CDC-ACM), where a row says so. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type VirtualSerialOptions, VirtualSerialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { rowFor, type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());
const row = (options: RecipeRow['options'] = {}): RecipeRow => ({
  ...rowFor(options, 'serial-lines'),
  ...{ vendorId: '1eab', productId: '1306' },
});
const start = async (options: VirtualSerialOptions = {}, rowOptions: RecipeRow['options'] = {}) => {
  const scanner = new VirtualSerialScanner(options);
  node = await startScanningNode([scanner], { recipes: [row(rowOptions)], settings: { duplicateWindowMs: 0 } });
  return scanner;
};
const values = async (reads: number) => (await node.scans(reads)).scans.map(({ value }) => value).reverse();

describe('a serial scanner', () => {
  it('is bound by its row, both interfaces claimed', async () => {
    const scanner = await start();
    expect(await node.condition()).toMatchObject({
      condition: 'bound',
      recipe: { id: 'pos-under-test', tier: 'builtin', codec: 'serial-lines' },
    });
    expect([...node.bench.usb.claimedInterfaces(scanner)].sort()).toEqual([0, 1]);
  });

  it('is read with the symbology it sends, and makes an event', async () => {
    const scanner = await start();
    const events = await node.events('scan_read');
    scanner.scan('4006381333931', 'ean13');
    expect((await events.next()).value).toMatchObject({ value: '4006381333931', symbologySource: 'aim' });
    expect((await node.scans(1)).scans[0]).toMatchObject({ symbology: 'ean13', symbologySource: 'aim' });
  });

  it.each(['\r', '\n', '\r\n', '\t\r\n', ''])('ends a read with %j', async (terminator) => {
    const scanner = await start({ terminator });
    scanner.scan('ABC-1234');
    expect(await values(1)).toEqual(['ABC-1234']);
  });

  it('is read from pieces, and several reads from one', async () => {
    const scanner = await start();
    for (const piece of ['AAA', 'A\r', '\nBBBB\r\nCC', 'CC\r\n\r\n']) scanner.write(piece);
    expect(await values(3)).toEqual(['AAAA', 'BBBB', 'CCCC']);
  });

  it('is read packet by packet: a read that fills its packets needs no shorter one behind', async () => {
    const scanner = await start({ maxPacketSize: 8, terminator: '\n' });
    const asked = vi.spyOn(scanner, 'collect');
    scanner.scan('1234567');
    scanner.scan('ABCDEFGHIJKLMNO');
    expect(await values(2)).toEqual(['1234567', 'ABCDEFGHIJKLMNO']);
    expect(new Set(asked.mock.calls.map(([, length]) => length))).toEqual(new Set([8]));
  });

  it('passes on control characters, UTF-8, and Latin-1 where it is none', async () => {
    const scanner = await start();
    scanner.scan('0104006381333931\x1d10ABC');
    scanner.scan('Käse €');
    scanner.write(Buffer.from('Käse\r\n', 'latin1'));
    expect(await values(3)).toEqual(['0104006381333931\x1d10ABC', 'Käse €', 'Käse']);
  });

  it('is read to 4,096 characters; a longer read is rejected whole and counted, and the next is read', async () => {
    const scanner = await start();
    scanner.scan('x'.repeat(4096));
    scanner.scan('y'.repeat(4097));
    scanner.scan('z'.repeat(40_000));
    scanner.scan('next');
    const log = await node.scans(4);
    expect(log).toMatchObject({ accepted: 2, rejected: 2, unrecorded: { unreadable: 2 } });
    expect(log.scans[0]?.value).toBe('next');
  });

  it('has its line set up: 9600 bits a second, or what its row says, 8 data bits, no parity, 1 stop bit', async () => {
    expect((await start()).lineCoding).toBe('80250000000008');
    await node.stop();
    expect((await start({}, { baudRate: 115_200 })).lineCoding).toBe('00c20100000008');
  });

  it('that has no line to set up is read all the same', async () => {
    const scanner = await start({ hasNoLine: true });
    scanner.scan('ABCD');
    expect(await values(1)).toEqual(['ABCD']);
  });

  it('drops a read that was cut off by unplugging', async () => {
    const scanner = await start();
    scanner.write('half of a');
    await node.unplug(scanner);
    await node.plug(scanner);
    scanner.scan('whole');
    expect(await values(1)).toEqual(['whole']);
  });

  it('is let go of when the node stops', async () => {
    const scanner = await start();
    await node.stop();
    expect(node.bench.usb.claimedInterfaces(scanner)).toEqual([]);
  });

  it.each(['keyboard', 'hidpos'] as const)('is not read where readMode is %s', async (readMode) => {
    node = await startScanningNode([], { recipes: [row()], settings: { readMode } });
    await node.plug(new VirtualSerialScanner());
    const { rejections } = (await node.call('GET', '/status')).body as { rejections: object[] };
    expect(rejections[0]).toMatchObject({ reason: 'no_codec', detail: `no interface that readMode ${readMode} reads` });
  });
});

describe('a device on a serial line', () => {
  it('without a row is nobody: a modem could be anything', async () => {
    const scanner = new VirtualSerialScanner();
    node = await startScanningNode([scanner], { recipes: [] });
    expect((await node.condition())['condition']).toBe('never_seen');
    expect(node.bench.usb.claimedInterfaces(scanner)).toEqual([]);
  });

  it('that has a row and no modem is refused for its descriptor', async () => {
    class Plain extends VirtualDevice {
      constructor() {
        super({
          vendorId: 0x1eab,
          productId: 0x1306,
          interfaces: [{ class: 255, subclass: 0, protocol: 0, pipes: [] }],
        });
      }
      protected control = () => 'stall' as const;
      protected receive = () => 0;
    }
    node = await startScanningNode([new Plain()], { recipes: [row()] });
    const { rejections } = (await node.call('GET', '/status')).body as { rejections: object[] };
    expect(rejections[0]).toMatchObject({ reason: 'bad_descriptor' });
  });
});
