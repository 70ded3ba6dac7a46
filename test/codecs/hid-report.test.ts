import { describe, expect, it } from 'vitest';
import { chooseApplication, locateUsage, parseReportDescriptor, readField } from '../../codecs/hid-report.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const parse = (text: string) => {
  const parsed = parseReportDescriptor(hex(text));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
};
const reasonFor = (raw: string | Uint8Array) => {
  const parsed = parseReportDescriptor(typeof raw === 'string' ? hex(raw) : raw);
  return parsed.ok ? 'accepted' : parsed.reason;
};

/** The mouse of HID 1.11, appendix E.10: three buttons, five bits of padding, two signed bytes. */
const MOUSE =
  '05010902a1010901a100 0509 1901 2903 1500 2501 9503 7501 8102 9501 7505 8101' +
  '0501 0930 0931 1581 257f 7508 9502 8106 c0c0';
const application = (usage: string) => parse(`${usage}a101c0`);

describe('a report descriptor', () => {
  it('gives collections with their usages, and fields at their bits', () => {
    const { numbered, collections, fields } = parse(MOUSE);
    expect(numbered).toBe(false);
    expect(collections).toEqual([
      { usage: 0x10002, type: 1, parent: -1 },
      { usage: 0x10001, type: 0, parent: 0 },
    ]);
    expect(fields).toHaveLength(2);
    expect(fields[0]).toMatchObject({ type: 'input', bitOffset: 0, bitSize: 1, count: 3, flags: 2, logicalMax: 1 });
    expect(fields[0]?.usages).toEqual([{ first: 0x90001, last: 0x90003 }]);
    expect(fields[1]).toMatchObject({ bitOffset: 8, bitSize: 8, count: 2, logicalMin: -127, logicalMax: 127 });
  });

  it('counts the report id in the offsets, and each report and direction from its own start', () => {
    const { fields, numbered } = parse(
      '05010906a101 7508 9501 8501 0901 8102 0902 9102 8502 0903 8102 8501 0904 8102 0905 b102 c0',
    );
    expect(numbered).toBe(true);
    expect(fields.map(({ reportId, type, bitOffset }) => [reportId, type, bitOffset])).toEqual([
      [1, 'input', 8],
      [1, 'output', 8],
      [2, 'input', 8],
      [1, 'input', 16],
      [1, 'feature', 8],
    ]);
  });

  it('gives short usages the page in force at the main item, and four-byte ones their own', () => {
    const { fields } = parse('0501 0930 0b01008c00 0509 7501 9502 8102');
    expect(fields[0]?.usages.map(({ first }) => first)).toEqual([0x90030, 0x8c0001]);
  });

  it('forgets usages and their limits after the main item they belong to', () => {
    const { fields } = parse('7508 9501 0501 0930 1940 8102 2905 8102');
    expect(fields.map(({ usages }) => usages)).toEqual([
      [{ first: 0x10030, last: 0x10030 }],
      [{ first: 0x10005, last: 0x10005 }],
    ]);
  });

  it('takes back on pop what push put away', () => {
    const { fields } = parse('0501 7508 9501 a4 7510 9504 0930 8102 b4 0931 8102');
    expect(fields.map(({ bitSize, count, bitOffset }) => [bitSize, count, bitOffset])).toEqual([
      [16, 4, 0],
      [8, 1, 64],
    ]);
  });

  it('reads the unit exponent as a nibble or sign-extended, and a maximum of FF by the sign of the minimum', () => {
    const { fields } = parse('7508 9501 550e 0901 8102 55fe 1500 25ff 0901 8102 1580 25ff 0901 8102');
    expect(fields.map(({ unitExponent, logicalMax }) => [unitExponent, logicalMax])).toEqual([
      [-2, 0],
      [-2, 255],
      [-2, -1],
    ]);
  });

  it('passes over long items, reserved items and fields of no bits', () => {
    const { fields } = parse('fe03ffaabbcc f0 0901 7500 9501 8102 0901 7508 9500 8102');
    expect(fields).toEqual([]);
  });
});

describe('a report descriptor is refused', () => {
  it.each([
    ['an item cut off', '0501 27ffff', 'item at byte 2 is cut off'],
    ['a long item cut off', 'fe10ff', 'item at byte 0 is cut off'],
    ['a pop without a push', 'b4', 'a pop without a push, at byte 0'],
    ['pushes without end', 'a4'.repeat(9), 'too many pushes, at byte 8'],
    ['an end without its collection', 'c0', 'an end without its collection, at byte 0'],
    ['a collection left open', 'a101', 'a collection is not closed'],
    ['collections nested without end', 'a100'.repeat(33), 'collections nested too deep, at byte 64'],
    ['collections without number', 'a100c0'.repeat(257), 'too many collections, at byte 768'],
    ['fields without number', `75019501${'09018102'.repeat(513)}`, 'too many fields, at byte 2054'],
    ['report id 0', '8500', 'report id 0, at byte 0'],
    ['a usage range that runs backwards', '190929018102', 'a usage range that runs backwards, at byte 2'],
    ['size times count beyond any report', '77ffffffff97ffffffff09018102', 'input report 0 too long, at byte 12'],
  ])('for %s', (_, raw, reason) => expect(reasonFor(raw)).toBe(reason));

  it('for more than 4096 bytes', () => {
    expect(reasonFor(new Uint8Array(4096))).toBe('accepted');
    expect(reasonFor(new Uint8Array(4097))).toBe('report descriptor of 4097 bytes');
  });
});

describe('a field', () => {
  const [buttons, axes] = parse(MOUSE).fields;

  it('is read across bits and bytes, with its sign', () => {
    expect([0, 1, 2].map((index) => readField(hex('05 ff 7f'), buttons!, index))).toEqual([1, 0, 1]);
    expect([0, 1].map((index) => readField(hex('05 ff 7f'), axes!, index))).toEqual([-1, 127]);
    expect([0, 1].map((index) => readField(hex('05 80 81'), axes!, index))).toEqual([-128, -127]);
    const odd = { ...buttons!, bitOffset: 3, bitSize: 32, count: 1 };
    expect(readField(hex('f8 ff ff ff 07'), odd)).toBe(0xffffffff);
  });

  it('is undefined outside the report, outside its count, and wider than 32 bits', () => {
    expect(readField(hex('05 ff'), axes!, 1)).toBeUndefined();
    for (const index of [-1, 2, 0.5, Number.NaN]) expect(readField(hex('05 ff 7f'), axes!, index)).toBeUndefined();
    expect(readField(new Uint8Array(64), { ...axes!, bitSize: 33 })).toBeUndefined();
  });

  it('is found by usage: a variable one at its index, an array one from the start', () => {
    const descriptor = parse(`${MOUSE} 0507 1900 2965 7508 9506 8100`);
    expect(locateUsage(descriptor, 'input', 0x10031)).toEqual({ field: descriptor.fields[1], index: 1 });
    expect(locateUsage(descriptor, 'input', 0x70004)).toEqual({ field: descriptor.fields[2], index: 0 });
    expect(locateUsage(descriptor, 'feature', 0x10031)).toBeUndefined();
    expect(locateUsage(descriptor, 'input', 0x10031, 7)).toBeUndefined();
  });
});

describe('what a device is', () => {
  const keyboard = application('05010906');
  it.each([
    ['8C:02, a scanner', '058c0902', 'scanner'],
    ['8D:01, a scale', '058d0901', 'scale'],
    ['8D:20, an older scale', '058d0920', 'scale'],
  ])('is told by %s, before a keyboard', (_, usage, kind) => {
    expect(chooseApplication([keyboard, application(usage)])).toEqual({ application: kind, index: 1 });
  });

  it('is a scanner before a scale, and a keyboard where there is nothing better', () => {
    const both = parse('058d0901a101c0 058c0902a101c0');
    expect(chooseApplication([keyboard, undefined, both])?.application).toBe('scanner');
    expect(chooseApplication([application('050c0901'), keyboard])).toEqual({ application: 'keyboard', index: 1 });
  });

  it('is nothing for consumer controls, keypads, vendor pages and usages below the top', () => {
    const inner = parse('06 00ff 0901 a101 058c 0902 a101 c0 c0');
    expect(chooseApplication([application('050c0901'), application('05010907'), inner, undefined])).toBeUndefined();
  });
});
