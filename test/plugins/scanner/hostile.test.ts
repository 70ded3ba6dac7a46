/** Devices that send what they should not: nothing is made up, nothing grows, and the next read is read. */
import { afterEach, describe, expect, it } from 'vitest';
import { MAX_READ_CHARACTERS } from '../../../codecs/read-text.ts';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());

/** The same bytes every time (xorshift). */
function noise(seed: number, length: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

const POS_WITH = (parts: readonly number[], length = 64) => {
  const report = new Uint8Array(length);
  report.set(parts.slice(0, length));
  return report;
};

describe('a hostile scanner', () => {
  it.each([
    ['an empty report', new Uint8Array(0)],
    ['a report cut short', Uint8Array.of(2)],
    ['another report', POS_WITH([7, 3, 0x5d, 0x43, 0x30, 65, 66, 67])],
    ['an empty read', POS_WITH([2, 0])],
  ])('sends %s: no read', async (_, report) => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    scanner.report(report);
    scanner.scan('good one');
    expect(await node.scans(1)).toMatchObject({ accepted: 1, rejected: 0, scans: [{ seq: 1, value: 'good one' }] });
  });

  it.each([
    ['more data than the report holds', POS_WITH([2, 255, 0x5d, 0x43, 0x30])],
    ['a report cut off inside its data', POS_WITH([2, 20, 0x5d, 0x43, 0x30, 65, 66], 10)],
  ])('claims %s: rejected and counted', async (_, report) => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    scanner.report(report);
    scanner.scan('good one');
    expect(await node.scans(2)).toMatchObject({ accepted: 1, rejected: 1, scans: [{ seq: 2, value: 'good one' }] });
  });

  it('sends a report longer than its descriptor says: what comes too much is no read', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner]);
    const report = new Uint8Array(200);
    report.set([2, 5, 0x5d, 0x43, 0x30, 65, 66, 67, 68, 69]);
    scanner.report(report);
    scanner.scan('good one');
    expect((await node.scans(2)).scans.map(({ value }) => value)).toEqual(['good one', 'ABCDE']);
  });

  it('sends noise: whatever comes of it is bounded, and the node answers', async () => {
    const scanner = new VirtualPosScanner();
    node = await startScanningNode([scanner], { settings: { duplicateWindowMs: 0 } });
    for (let seed = 1; seed <= 500; seed += 1) {
      const report = noise(seed, 64);
      report[0] = 2;
      scanner.report(report);
    }
    scanner.report(POS_WITH([2, 1, 0, 0, 0, 88]));
    scanner.scan('good one', 'code128');
    let log = await node.scans(1);
    while (log.scans[0]?.value !== 'good one') log = await node.scans(1);
    expect(log.scans).toHaveLength(12);
    for (const { value } of log.scans) expect(value.length).toBeLessThanOrEqual(4096);
  });

  it('types without end: one read is rejected when it ends at last, and the next is read', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([scanner]);
    scanner.type('x'.repeat(MAX_READ_CHARACTERS + 1));
    scanner.type('\r');
    scanner.scan('good one');
    expect(await node.scans(2)).toMatchObject({ accepted: 1, rejected: 1, scans: [{ value: 'good one' }] });
  });

  it('holds every key at once, repeats a key that is held, and sends reports of the wrong length', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([scanner], { settings: { minLength: 1 } });
    const held = Uint8Array.of(0, 0, 4, 0, 0, 0, 0, 0);
    for (const report of [Uint8Array.of(0, 0, 1, 1, 1, 1, 1, 1), held, held, held, new Uint8Array(0), Uint8Array.of(9)])
      scanner.report(report);
    scanner.report(new Uint8Array(8));
    scanner.type('\r');
    expect((await node.scans(1)).scans).toMatchObject([{ value: 'a' }]);
  });

  it('stalls its pipe for a while: it is asked again, and read on', async () => {
    const scanner = new VirtualWedgeScanner();
    node = await startScanningNode([scanner]);
    scanner.misbehave({ stall: true });
    await new Promise(setImmediate);
    scanner.misbehave({ stall: false });
    scanner.scan('after the stall');
    expect((await node.scans(1)).scans).toMatchObject([{ value: 'after the stall' }]);
    expect(await node.condition()).toMatchObject({ condition: 'bound' });
  });
});
