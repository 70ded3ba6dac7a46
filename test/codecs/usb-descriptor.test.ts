import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanString, parseDescriptors } from '../../codecs/usb-descriptor.ts';

const device = [18, 1, 0, 2, 0, 0, 0, 64, 0xb8, 0x04, 0x02, 0x02, 0, 1, 1, 2, 3, 1];
const configuration = (block: readonly number[], total = 9 + block.length, attributes = 0xc0) => {
  return [9, 2, total & 0xff, total >> 8, 1, 1, 0, attributes, 50, ...block];
};
const interfaceOf = (number: number, code = 7, subclass = 1, protocol = 2) => [
  9,
  4,
  number,
  0,
  2,
  code,
  subclass,
  protocol,
  0,
];
const bulkIn = [7, 5, 0x81, 2, 64, 0, 0];
const bulkOut = [7, 5, 0x02, 2, 0x00, 0x02, 0];
const hid = [9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0];
const parse = (block: readonly number[], total?: number) =>
  parseDescriptors(Uint8Array.from([...device, ...configuration(block, total)]));
const interfacesOf = (block: readonly number[]) => {
  const parsed = parse(block);
  return parsed.ok ? parsed.value.interfaces : [];
};
const repeat = (times: number, block: (index: number) => readonly number[]) =>
  Array.from({ length: times }, (_, i) => block(i)).flat();

describe('descriptors', () => {
  it('have the interfaces and pipes of a receipt printer', () => {
    expect(parse([...interfaceOf(0), ...bulkIn, ...bulkOut])).toEqual({
      ok: true,
      value: {
        ...{ vendorId: '04b8', productId: '0202', class: 0, subclass: 0, protocol: 0, usbVersion: '2.00' },
        ...{ selfPowered: true, maxPowerMa: 100 },
        interfaces: [
          {
            ...{ number: 0, alternate: 0, class: 7, subclass: 1, protocol: 2, extra: new Uint8Array(0) },
            pipes: [
              { address: 0x81, direction: 'in', type: 'bulk', maxPacketSize: 64 },
              { address: 0x02, direction: 'out', type: 'bulk', maxPacketSize: 512 },
            ],
          },
        ],
      },
    });
  });

  it('keep what is class-specific with its interface, and no more', () => {
    const association = [8, 0x0b, 0, 1, 3, 0, 0, 0];
    const [first, second] = interfacesOf([
      ...association,
      ...interfaceOf(0, 3, 1, 1),
      ...hid,
      ...bulkIn,
      ...interfaceOf(1),
    ]);
    expect([...first!.extra]).toEqual(hid);
    expect(second!.extra).toHaveLength(0);
  });

  it('read the first configuration only', () => {
    const both = [...device, ...configuration(interfaceOf(0)), ...configuration(interfaceOf(5))];
    const parsed = parseDescriptors(Uint8Array.from(both));
    expect(parsed.ok && parsed.value.interfaces.map(({ number }) => number)).toEqual([0]);
  });

  it('leave out the high-bandwidth bits of a packet size', () => {
    expect(interfacesOf([...interfaceOf(0), 7, 5, 0x81, 1, 0x00, 0x14, 1])[0]!.pipes[0]).toMatchObject({
      type: 'isochronous',
      maxPacketSize: 0x400,
    });
  });

  it.each([
    ['a descriptor of no length', parse([...interfaceOf(0), 0, 0]), 'descriptor of 0 bytes'],
    ['a descriptor past the end', parse([...interfaceOf(0), 9, 5, 1]), 'descriptor is cut off'],
    ['a total that is too long', parse(interfaceOf(0), 4000), 'configuration is not as long as it says'],
    ['a total that is too short', parse(interfaceOf(0), 3), 'configuration is not as long as it says'],
    ['127 interfaces', parse(repeat(127, interfaceOf)), 'over 64 interfaces'],
    ['4 KB of pipes', parse([...interfaceOf(0), ...repeat(585, () => bulkIn)]), 'over 64 pipes'],
    ['a pipe before any interface', parse(bulkIn), 'pipe outside any interface'],
    ['a stunted interface', parse([5, 4, 0, 0, 0]), 'interface descriptor is too short'],
    ['a stunted pipe', parse([...interfaceOf(0), 4, 5, 1, 2]), 'pipe descriptor is too short'],
    ['no configuration', parseDescriptors(Uint8Array.from(device)), 'configuration descriptor is cut off'],
    ['half a device', parseDescriptors(Uint8Array.from(device.slice(0, 9))), 'device descriptor is cut off'],
  ])('are refused for %s', (_, parsed, reason) => {
    expect(parsed).toEqual({ ok: false, reason });
  });

  it('are 64 interfaces and 64 pipes at the most', () => {
    expect(interfacesOf(repeat(64, (i) => [...interfaceOf(i), ...bulkIn]))).toHaveLength(64);
  });

  it('never throw, whatever a device sends', () => {
    const block = fc.array(fc.oneof(fc.constantFrom(...interfaceOf(0), ...bulkIn, ...hid), fc.nat(255)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(block, fc.option(fc.nat(65535), { nil: undefined }), (list, total) => {
        const parsed = parse(list, total);
        expect(parsed.ok ? parsed.value.interfaces.length : parsed.reason.length).toBeGreaterThanOrEqual(0);
      }),
      { seed: 20 },
    );
  });

  it('of 64 KB of class-specific bytes are read in one pass', () => {
    const block = [...interfaceOf(0, 14), ...repeat(30_000, () => [2, 0x24])];
    expect(interfacesOf(block)[0]!.extra).toHaveLength(60_000);
  });
});

describe('a device string', () => {
  it.each([
    ['EPSON\u0000\u0000', 'EPSON'],
    ['  TM-T88V\r\n(USB) ', 'TM-T88V  (USB)'],
    ['a\ud800b', 'a\ufffdb'],
    ['evil\u202egnp', 'evil gnp'],
    ['Drucker Ä€', 'Drucker Ä€'],
    ['x'.repeat(200), 'x'.repeat(126)],
    [`${'x'.repeat(125)}\u{1f600}`, 'x'.repeat(125)],
  ])('%j is cleaned', (text, wanted) => {
    expect(cleanString(text)).toBe(wanted);
  });
});
