/** GET and DELETE /scans, verdicts, and scan_read (specification 2.8 and 6.1). */
import { afterEach, describe, expect, it } from 'vitest';
import type { ScannerSettings } from '../../../plugins/scanner/contract.ts';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());
async function start(settings: Partial<ScannerSettings> = {}) {
  const scanner = new VirtualPosScanner();
  node = await startScanningNode([scanner], { settings });
  return scanner;
}
const verdicts = async (reads: number) =>
  (await node.scans(reads)).scans.map(({ value, verdict }) => `${value} ${verdict}`).reverse();

describe('the scan log', () => {
  it('is empty before the first read, scanner or no scanner', async () => {
    node = await startScanningNode([]);
    expect(await node.call('GET', '/scans')).toEqual({
      status: 200,
      body: {
        endpoint: 'scanner',
        accepted: 0,
        rejected: 0,
        capacity: 12,
        scans: [],
        unrecorded: { symbology: 0, unreadable: 0 },
      },
    });
  });

  it('holds the last 12 reads, newest first, and counts them all', async () => {
    const scanner = await start();
    for (let i = 1; i <= 15; i += 1) scanner.scan(`item-${i}`, 'code128');
    const { accepted, capacity, scans } = await node.scans(15);
    expect({ accepted, capacity }).toEqual({ accepted: 15, capacity: 12 });
    expect(scans.map(({ seq }) => seq)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
    expect(scans[0]).toEqual({
      seq: 15,
      value: 'item-15',
      verdict: 'accepted',
      symbology: 'code128',
      symbologySource: 'aim',
      ageMs: expect.any(Number),
      gapMs: expect.any(Number),
    });
    for (const { ageMs, gapMs } of scans) expect(Number.isInteger(ageMs) && Number.isInteger(gapMs)).toBe(true);
  });

  it('gives the first read a gap of -1: nothing came before it', async () => {
    (await start()).scan('item');
    expect((await node.scans(1)).scans[0]?.gapMs).toBe(-1);
  });

  it('keeps rejected reads with their reason', async () => {
    const scanner = await start({ minLength: 4, duplicateWindowMs: 10_000, burstGapMs: 0 });
    for (const value of ['ABCD', 'ABCD', 'ABC', 'ABCD', 'EFGH', 'ABCD']) scanner.scan(value);
    expect(await verdicts(6)).toEqual([
      'ABCD accepted',
      'ABCD duplicate',
      'ABC too_short',
      'ABCD duplicate',
      'EFGH accepted',
      'ABCD accepted',
    ]);
    expect(await node.scans(6)).toMatchObject({ accepted: 3, rejected: 3 });
  });

  it('takes the same value again where the window is 0', async () => {
    const scanner = await start({ duplicateWindowMs: 0 });
    for (const value of ['ABCD', 'ABCD']) scanner.scan(value);
    expect(await verdicts(2)).toEqual(['ABCD accepted', 'ABCD accepted']);
  });

  it('calls another value that follows too soon a burst', async () => {
    const scanner = await start({ burstGapMs: 1000 });
    for (const value of ['ABCD', 'EFGH']) scanner.scan(value);
    expect(await verdicts(2)).toEqual(['ABCD accepted', 'EFGH burst']);
  });

  it('counts reads of a symbology that is not listed, without a record but with a number', async () => {
    const scanner = await start({ symbologies: ['ean13'] });
    scanner.scan('ABCDEF', 'code128');
    scanner.scan('4006381333931', 'ean13');
    expect(await node.scans(2)).toMatchObject({
      accepted: 1,
      rejected: 1,
      unrecorded: { symbology: 1, unreadable: 0 },
      scans: [{ seq: 2, value: '4006381333931' }],
    });
    await node.configure({ symbologies: [] });
    scanner.scan('ABCDEF', 'code128');
    expect(await node.scans(3)).toMatchObject({ accepted: 2 });
  });

  it('is cleared by DELETE; numbers go on', async () => {
    const scanner = await start();
    scanner.scan('item-1');
    await node.scans(1);
    expect(await node.call('DELETE', '/scans')).toEqual({ status: 200, body: { ok: true } });
    expect((await node.call('GET', '/scans')).body).toMatchObject({ accepted: 0, rejected: 0, scans: [] });
    scanner.scan('item-2');
    expect((await node.scans(1)).scans).toMatchObject([{ seq: 2, value: 'item-2' }]);
  });

  it('is cleared with the API key only on a strict node, and read without', async () => {
    await start();
    await node.call('PUT', '/config', { apiKey: 'a-key-of-sixteen-chars', apiMode: 'strict' });
    expect(await node.call('DELETE', '/scans')).toMatchObject({ status: 401, body: { error: 'api_locked' } });
    expect((await node.call('GET', '/scans')).status).toBe(200);
  });

  it('is not answered for want of memory, with persist_failed', async () => {
    (await start()).scan('item');
    await node.scans(1);
    node.host.memory = 100;
    expect(await node.call('GET', '/scans')).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
  });
});

describe('scan_read', () => {
  it('is sent for accepted reads alone, with the number of the record', async () => {
    const scanner = await start({ minLength: 4, duplicateWindowMs: 10_000 });
    const events = await node.events('scan_read');
    for (const value of ['ABC', '4006381333931', '4006381333931', 'EFGH']) scanner.scan(value, 'ean13');
    await node.scans(4);
    expect([(await events.next()).value, (await events.next()).value]).toEqual([
      {
        type: 'scan_read',
        endpoint: 'scanner',
        value: '4006381333931',
        seq: 2,
        symbology: 'ean13',
        symbologySource: 'aim',
      },
      expect.objectContaining({ value: 'EFGH', seq: 4 }),
    ]);
  });
});
