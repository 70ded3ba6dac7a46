import { describe, expect, it } from 'vitest';
import { parseReportDescriptor } from '../../codecs/hid-report.ts';
import { hidScale, readScaleReport, type ScaleOptions, scaleLayout } from '../../codecs/hid-scale.ts';
import { checkRow } from '../../runtime/recipes/row.ts';
import spec from '../spec/hid-scale.json' with { type: 'json' };

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const read = (report: string, options?: ScaleOptions) => readScaleReport(scaleLayout(), hex(report), options);
const describedLayout = (descriptor: string) => {
  const parsed = parseReportDescriptor(hex(descriptor));
  if (!parsed.ok) throw new Error(parsed.reason);
  return scaleLayout(parsed.value);
};

/** The data report of HID Point of Sale Usage Tables 1.02 as scales declare it. */
const STANDARD =
  '058d 0920 a101 0932 a102 8503 058d 0970 a102 1501 2508 7508 9501 0971 0972 0973 0974 0975 0976 0977 0978 8100 c0' +
  '0950 a102 1501 250c 7508 9501 0951 0952 0953 0954 0955 0956 0957 0958 0959 095a 095b 095c 8100 c0' +
  '0941 1581 257f 7508 9501 8102 0940 1500 27ffff0000 7510 9501 8102 c0 c0';

/** Weight first, in 24 bits, then status and unit; the exponent is the field's own, and nothing is numbered. */
const OTHER = '058d 0901 a101 550e 1500 27ffffff00 7518 9501 0940 8102 5500 7508 0970 8102 0950 8102 c0';

const FAULTS: Record<string, string> = {
  under_zero: 'under_zero',
  over_weight: 'over_limit',
  needs_rezero: 'needs_rezero',
};

describe('a HID scale', () => {
  describe.each([
    ['by the six bytes', scaleLayout()],
    ['by its report descriptor', describedLayout(STANDARD)],
  ])('read %s', (_, layout) => {
    const numbered3 = spec.vectors.filter(({ report }) => !report.startsWith('04'));
    it.each(numbered3)('$name: $why', ({ report, status, weight, unit, stable }) => {
      const value = status === 'no_data' ? null : { weight, unit, stable, fault: FAULTS[status] ?? null };
      expect(readScaleReport(layout, hex(report))).toEqual({ ok: true, value });
    });
  });

  it('is read by the places of an unusual descriptor', () => {
    expect(readScaleReport(describedLayout(OTHER), hex('40e201 04 03'))).toEqual({
      ok: true,
      value: { weight: 1234.56, unit: 'kg', stable: true, fault: null },
    });
  });

  it('that declares no status is weighed, and is never called stable', () => {
    const silent = describedLayout(OTHER.replace('0970 8102 ', ''));
    expect(readScaleReport(silent, hex('40e201 03'))).toEqual({
      ok: true,
      value: { weight: 1234.56, unit: 'kg', stable: false, fault: null },
    });
  });

  it('sends its data report as number 3 or, on some, 4; others say nothing of the weight', () => {
    expect(read('0404 03 fd d204')).toMatchObject({ value: { weight: 1.234, unit: 'kg' } });
    for (const report of ['0504 03 fd d204', '01', '']) expect(read(report)).toEqual({ ok: true, value: null });
  });

  it('that declares the number of its data report says nothing in any other', () => {
    expect(readScaleReport(describedLayout(STANDARD), hex('0404 03 fd d204'))).toEqual({ ok: true, value: null });
  });

  it('whose descriptor has no weight is read by the six bytes', () => {
    expect(describedLayout('058d 0901 a101 1500 2508 7508 9501 0970 8102 c0')).toEqual(scaleLayout());
  });

  it('says nothing in a report of zeros, which is not a weight of zero', () => {
    for (const report of ['030000000000', '040000000000']) expect(read(report)).toEqual({ ok: true, value: null });
    for (const [descriptor, report] of [
      [OTHER, '0000000000'],
      [STANDARD, '030000000000'],
    ] as const)
      expect(readScaleReport(describedLayout(descriptor), hex(report))).toEqual({ ok: true, value: null });
  });

  it('is refused with its exponent cut off', () => {
    const layout = describedLayout(
      '058d 0901 a101 1500 27ffffff00 7518 9501 0940 8102 7508 0970 8102 0950 8102 0941 8102 c0',
    );
    expect(readScaleReport(layout, hex('0a0000 04 02 01'))).toMatchObject({ value: { weight: 100, unit: 'g' } });
    expect(readScaleReport(layout, hex('0a0000 04 02'))).toEqual({ ok: false, reason: 'scale report of 5 bytes' });
  });

  it('weighs one as one, and by the largest exponent', () => {
    expect(read('0304 02 00 0100')).toMatchObject({ value: { weight: 1 } });
    expect(read('0304 02 09 0100')).toMatchObject({ value: { weight: 1e9 } });
    expect(read('0304 02 f7 0100')).toMatchObject({ value: { weight: 1e-9 } });
  });

  it.each([
    ['its status and unit left at zero', '0100000000', 'scale status 0'],
    ['its status cut off', '40e201', 'scale status 0'],
    ['its unit cut off', '40e201 04', 'weight unit 0'],
  ])('is refused with a weight first and %s: nothing is guessed', (_, report, reason) => {
    expect(readScaleReport(describedLayout(OTHER), hex(report))).toEqual({ ok: false, reason });
  });

  it('gives every decimal exactly as sent', () => {
    const wrong: string[] = [];
    for (const places of [1, 2, 3, 4, 5]) {
      for (let raw = 0; raw <= 0xffff; raw += 7) {
        const bytes = [3, 4, 2, 256 - places, raw & 0xff, raw >> 8];
        const reading = readScaleReport(scaleLayout(), Uint8Array.from(bytes));
        const digits = String(raw).padStart(places + 1, '0');
        const decimal = `${digits.slice(0, -places)}.${digits.slice(-places)}`;
        if (!reading.ok || reading.value?.weight?.toFixed(places) !== decimal || reading.value.weight !== +decimal)
          wrong.push(`${decimal} was read as ${JSON.stringify(reading)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('says what its weight unit is, by code', () => {
    const units = Array.from({ length: 12 }, (_, code) => {
      const parsed = read(`0304 ${(code + 1).toString(16).padStart(2, '0')} 00 0100`);
      return parsed.ok && parsed.value?.unit;
    });
    expect(units).toEqual(['mg', 'g', 'kg', 'ct', 'tael', 'gr', 'dwt', 't', 'ton', 'ozt', 'oz', 'lb']);
  });

  it('is at zero when it says so, and never at minus zero', () => {
    expect(read('0302 02 00 0100')).toMatchObject({ value: { weight: 0, stable: true } });
    expect(read('0305 02 00 0000')).toMatchObject({ value: { weight: 0, fault: 'under_zero' } });
  });

  it.each([
    ['0301 02 00 0a00', 'fault'],
    ['0306 02 00 0a00', 'over_limit'],
    ['0307 02 00 0a00', 'needs_calibration'],
    ['0308 ff 80 0a00', 'needs_rezero'],
  ])('has no weight in %s: %s', (report, fault) => {
    expect(read(report)).toMatchObject({ ok: true, value: { weight: null, stable: false, fault } });
  });

  it.each([
    ['a status it does not know', '0309 02 00 0a00', 'scale status 9'],
    ['no status but a weight', '0300 02 00 0a00', 'scale status 0'],
    ['a unit it does not know', '0304 0d 00 0a00', 'weight unit 13'],
    ['no unit', '0304 00 00 0a00', 'weight unit 0'],
    ['an exponent that is noise', '0304 02 80 0a00', 'weight exponent -128'],
    ['an exponent beyond any scale', '0304 02 0a 0a00', 'weight exponent 10'],
    ['its weight cut off', '0304 02 00 0a', 'scale report of 5 bytes'],
  ])('is refused with %s', (_, report, reason) => expect(read(report)).toEqual({ ok: false, reason }));

  it('may be said by a row to weigh in any of its units, and to sleep after one second to a day', () => {
    const fault = (options: object) =>
      checkRow(
        {
          id: 'x',
          vendorId: '0922',
          productId: '8003',
          make: 'A',
          model: 'B',
          kind: 'scale',
          codec: 'hid-scale',
          options,
        },
        new Map([[hidScale.name, hidScale]]),
      );
    const units = ['mg', 'g', 'kg', 'ct', 'tael', 'gr', 'dwt', 't', 'ton', 'ozt', 'oz', 'lb'];
    for (const options of [{ units }, { autoOffSeconds: 1 }, { autoOffSeconds: 86_400 }])
      expect(fault(options)).toBeUndefined();
    expect(fault({ units: ['stone'] })).toBe(`options.units: must be a list of ${units.join(', ')}`);
    for (const autoOffSeconds of [0, 86_401])
      expect(fault({ autoOffSeconds })).toBe('options.autoOffSeconds: must be an integer from 1 to 86400');
  });

  it('weighs in the one unit its recipe names where the report names none', () => {
    expect(read('0304 00 00 0a00', { units: ['lb'] })).toMatchObject({ value: { weight: 10, unit: 'lb' } });
    expect(read('0304 00 00 0a00', { units: ['g', 'oz'] })).toMatchObject({ ok: false });
    expect(read('0304 0d 00 0a00', { units: ['lb'] })).toMatchObject({ ok: false });
  });
});
