/** HID POS scanners: how they are found, and how their reports are read. */
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { until } from '../../node.ts';
import { rowFor, type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());
const read = async (count = 1) => (await node.scans(count)).scans[0];

describe('a HID POS scanner', () => {
  it('without a row is found by its report descriptor once the bus is quiet', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner], { recipes: [] });
    await until(async () => (await node.condition())['condition'] === 'bound');
    expect(await node.condition()).toMatchObject({
      device: { vendorId: '05f9', productId: '1206' },
      recipe: { id: 'derived-05f9-1206', tier: 'derived', codec: 'hid-pos' },
    });
    scanner.scan('4006381333931', 'ean13');
    expect(await read()).toMatchObject({ value: '4006381333931', symbology: 'ean13', symbologySource: 'aim' });
  });

  it.each(['ean8', 'upca', 'code128', 'gs1-128', 'qr', 'datamatrix', 'pdf417', 'other'] as const)(
    'says the symbology of a read: %s',
    async (symbology) => {
      const scanner = new VirtualPosScanner();
      node = await startScanningNode([scanner]);
      scanner.scan('036000291452', symbology);
      expect(await read()).toMatchObject({ symbology, symbologySource: 'aim' });
    },
  );

  it('is read over several reports, whatever the characters', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    const value = `https://example.com/${'Zażółć gęślą jaźń €\x1d\r\n'.repeat(20)}!`;
    scanner.scan(value, 'qr');
    expect(await read()).toMatchObject({ value, symbology: 'qr' });
  });

  it('is read to 4,096 characters; a longer read is rejected and counted', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    scanner.scan('x'.repeat(4096), 'qr');
    scanner.scan('y'.repeat(4097), 'qr');
    expect(await node.scans(2)).toMatchObject({ accepted: 1, rejected: 1, unrecorded: { unreadable: 1 } });
  });

  it('is woken by the feature report of its row', async () => {
    const scanner = new VirtualPosScanner({ asleep: true });
    node = await startScanningNode([scanner], { recipes: [rowFor({ featureReportOnOpen: 'fe01' })] });
    expect(await node.condition()).toMatchObject({ condition: 'bound', recipe: { id: 'pos-under-test' } });
    scanner.scan('ABCDEF');
    expect(await read()).toMatchObject({ value: 'ABCDEF', symbologySource: 'inferred' });
  });

  it('whose report descriptor cannot be read is read by the common 64-byte report, if a row says what it is', async () => {
    const scanner = new VirtualPosScanner({ hidesReportDescriptor: true });
    node = await startScanningNode([scanner]);
    scanner.scan('ABCDEF', 'code39');
    expect(await read()).toMatchObject({ value: 'ABCDEF', symbology: 'code39' });
  });

  it('is refused in read mode keyboard, and says why', async () => {
    node = await startScanningNode([new VirtualPosScanner()], { settings: { readMode: 'keyboard' } });
    const { body } = await node.call('GET', '/status');
    expect(body['rejections']).toMatchObject([
      { class: 'scanner', reason: 'no_codec', detail: 'no interface that readMode keyboard reads' },
    ]);
  });

  it('that a row refuses is refused by name', async () => {
    const { codec: _, ...row } = rowFor();
    node = await startScanningNode([new VirtualPosScanner()], { recipes: [{ ...row, refuse: 'SNAPI' }] });
    const { body } = await node.call('GET', '/status');
    expect(body['rejections']).toMatchObject([{ reason: 'unsupported_language', detail: 'SNAPI' }]);
  });
});
