/** Scanners that type: layouts, ends of reads, and what a read is made of. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ScannerSettings } from '../../../plugins/scanner/contract.ts';
import { type VirtualWedgeOptions, VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { until } from '../../node.ts';
import { type ScanningNode, startScanningNode } from './node.ts';

let node: ScanningNode;
afterEach(() => node.stop());

/** A scanner and a node that agree on the layout unless told otherwise. */
async function start(options: VirtualWedgeOptions = {}, settings: Partial<ScannerSettings> = {}) {
  const scanner = new VirtualWedgeScanner(options);
  node = await startScanningNode([scanner], { settings: { layout: options.layout ?? 'us', ...settings } });
  return scanner;
}
const read = async (count = 1) => (await node.scans(count)).scans[0];

describe('a scanner that types', () => {
  it.each([
    ['us', 'Ab-1_2@#[]{}|~`'],
    ['uk', '£5 "@#~€¬¦'],
    ['de', 'Größe 7/3 [y] {z} @€~| ñ^´ éÀ'],
    ['fr', '0123456789 é"à &ç @€{} êëÎ~ñ'],
    ['es', '¿Ñandú? @#€ àü'],
    ['it', 'Perché? @#[] £ùò'],
  ] as const)('is read in its layout, AltGr and dead keys included: %s', async (layout, value) => {
    (await start({ layout })).scan(value);
    expect(await read()).toMatchObject({ value, verdict: 'accepted', symbologySource: 'inferred' });
  });

  it('is misread where the node is set to another layout, and read right as soon as it is set to the same', async () => {
    const scanner = await start({ layout: 'us' }, { layout: 'fr' });
    scanner.scan('4006381333931');
    expect(await read()).toMatchObject({ value: '\'àà-"_&"""ç"&' });
    await node.configure({ layout: 'us' });
    scanner.scan('4006381333931');
    expect(await read(2)).toMatchObject({ value: '4006381333931', symbology: 'ean13' });
  });

  it.each(['enter', 'tab', 'crlf', 'none'] as const)('ends a read with %s', async (terminator) => {
    const scanner = await start({ terminator });
    scanner.scan('96385074');
    expect(await read(1)).toMatchObject({ value: '96385074', symbology: 'ean8' });
    scanner.scan('4006381333931');
    expect(await read(2)).toMatchObject({ value: '4006381333931' });
  });

  it('ends a read that nothing ends when no key follows, with the accent that waited for its letter', async () => {
    const scanner = await start({ layout: 'de', terminator: 'none' }, { interKeyTimeoutMs: 10 });
    scanner.scan('ABCD');
    scanner.report(Uint8Array.of(0, 0, 0x35, 0, 0, 0, 0, 0));
    expect(await read()).toMatchObject({ value: 'ABCD^' });
  });

  it('takes the AIM identifier off the front of the text', async () => {
    (await start()).scan('036000291452', 'upca');
    expect(await read()).toMatchObject({ value: '036000291452', symbology: 'upca', symbologySource: 'aim' });
  });

  it('passes control characters on as data', async () => {
    const value = '[)>\x1e06\x1d1P\x1cX\x04\x1b\x01\x1f';
    (await start()).scan(value);
    expect(await read()).toMatchObject({ value });
  });

  it('is read to 4,096 characters; a longer read is rejected whole, counted and given a number', async () => {
    const scanner = await start();
    scanner.scan('x'.repeat(4096));
    expect((await read(1))?.value).toHaveLength(4096);
    scanner.scan('y'.repeat(4097));
    expect(await node.scans(2)).toMatchObject({ accepted: 1, rejected: 1, unrecorded: { unreadable: 1 } });
    scanner.scan('next one');
    expect(await read(3)).toMatchObject({ value: 'next one', seq: 3 });
  });

  it('types into nothing but the node: its interface is held from bind to release', async () => {
    const scanner = await start();
    expect(node.bench.usb.claimedInterfaces(scanner)).toEqual([0]);
  });

  it.each([
    ['its own protocol, where its report descriptor says where its keys are', {}, false],
    ['the boot protocol, where that cannot be read', { hidesReportDescriptor: true }, true],
  ])('is read in %s', async (_, options, boot) => {
    const scanner = await start(options);
    expect(scanner.bootProtocol).toBe(boot);
  });

  it('has its lights set as a host sets them', async () => {
    const scanner = await start();
    expect(scanner.lights).toBe(1);
    scanner.report(Uint8Array.of(0, 0, 0x39, 0, 0, 0, 0, 0));
    await until(() => scanner.lights === 3);
  });

  it.each([2, 3])('is read right where it accepts the boot protocol and keeps its report id %i', async (reportId) => {
    (await start({ reportId, keepsReportId: true })).scan('04A2B3C4D5E680');
    expect(await read()).toMatchObject({ value: '04A2B3C4D5E680', verdict: 'accepted' });
    expect(await read()).not.toHaveProperty('suspect');
  });

  it.each([
    ['shifted_digits', { layout: 'us' }, { layout: 'fr' }, '4006381333931'],
    ['control_characters', {}, {}, '\x01\x02\x03\x04AB'],
  ] as const)(
    'says that a read is suspect, in the log and in its event: %s',
    async (suspect, options, settings, value) => {
      const scanner = await start(options, settings);
      const events = await node.events('scan_read');
      scanner.scan(value);
      expect(await read()).toMatchObject({ verdict: 'accepted', suspect });
      expect((await events.next()).value).toMatchObject({ suspect });
    },
  );

  it('says so where keys may be lost, since too many were pressed at once', async () => {
    const scanner = await start();
    scanner.type('ABCD');
    scanner.report(Uint8Array.of(0, 0, 1, 1, 1, 1, 1, 1));
    scanner.type('EF\r');
    expect(await read()).toMatchObject({ value: 'ABCDEF', suspect: 'rollover' });
    scanner.scan('NEXT');
    expect(await read(2)).not.toHaveProperty('suspect');
  });

  it.each([
    ['numbered reports, because it refuses the boot protocol', { reportId: 3, refusesBootProtocol: true }],
    ['the boot protocol, because its report descriptor cannot be read', { reportId: 3, hidesReportDescriptor: true }],
  ])('is read by %s', async (_, options) => {
    (await start(options)).scan('CODE-128');
    expect(await read()).toMatchObject({ value: 'CODE-128' });
  });

  it('is known by its report descriptor where it is no boot keyboard', async () => {
    const scanner = await start({ boot: false, reportId: 1 });
    await until(async () => (await node.condition())['condition'] === 'bound');
    scanner.scan('CODE-128');
    expect(await read()).toMatchObject({ value: 'CODE-128' });
  });

  it('is not taken in read mode hidpos', async () => {
    await start({}, { readMode: 'hidpos' });
    expect(await node.condition()).toMatchObject({ condition: 'never_seen' });
  });
});
