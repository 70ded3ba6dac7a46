import { describe, expect, it } from 'vitest';
import { featureReportOnOpen, hidPos, newPosScanner, readPosReport, resetPosScanner } from '../../codecs/hid-pos.ts';
import { parseReportDescriptor } from '../../codecs/hid-report.ts';
import { checkRecipes } from '../../runtime/recipes/check.ts';
import spec from '../spec/hid-pos.json' with { type: 'json' };

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** Places bytes in a report of zeros: offset, then bytes or Latin-1 text. */
function report(parts: Record<number, readonly number[] | string>, length = 64): Uint8Array {
  const bytes = new Uint8Array(length);
  for (const [at, part] of Object.entries(parts)) {
    bytes.set(typeof part === 'string' ? Buffer.from(part, 'latin1') : part, Number(at));
  }
  return bytes;
}

/** Identifier, 40 data bytes, a continuation bit, no byte count: another layout than the common one. */
const OWN_LAYOUT = parseReportDescriptor(
  hex(
    '058c 0902 a101 8507 0912 a102 1500 26ff00 7508 9528 09fe 820201 9501 09fb 8102 09fc 8102 09fd 8102' +
      '2501 7501 09ff 8102 7507 8103 c0c0',
  ),
);

/** Three identifier bytes, eight of data, a continuation bit, no byte count. */
const SHORT_PARTS =
  '058c 0902 a101 8507 0912 a102 1500 26ff00 7508 9501 09fb 8102 09fc 8102 09fd 8102 9508 09fe 820201' +
  '2501 7501 9501 09ff 8102 7507 8103 c0c0';

const described = (descriptor: string, options = {}) => {
  const parsed = parseReportDescriptor(hex(descriptor));
  return newPosScanner(parsed.ok ? parsed.value : undefined, options);
};

describe('a HID POS scanner', () => {
  it.each(spec.vectors)('$name', ({ reports, value, aim, symbology, symbologySource }) => {
    const scanner = newPosScanner(undefined, { symbologyByte: 'honeywell' });
    const answers = reports.map((it) => readPosReport(scanner, hex(it)));
    expect(answers.pop()).toEqual({ ok: true, value: { value, aim, symbology, symbologySource } });
    for (const answer of answers) expect(answer).toEqual({ ok: true, value: null });
  });

  it('may have one row with all products of its maker, as their descriptors tell which of them are such scanners', () => {
    const row = { id: 'acme', vendorId: '1234', productId: '*', model: 'all', kind: 'scanner', codec: 'hid-pos' };
    const text = JSON.stringify({ maker: 'Acme', rows: [{ ...row, confidence: 'high', source: 'measured' }] });
    expect(checkRecipes([{ path: 'acme.json', text }], new Map([[hidPos.name, hidPos]]))).toEqual([]);
  });

  it('reads the maker id only where the recipe says there is one', () => {
    const bytes = report({ 0: [2, 12], 2: ']E0', 5: '0360002914520', 61: 'd' });
    const symbologies = [{}, { symbologyByte: 'honeywell' } as const].map((options) => {
      const parsed = readPosReport(newPosScanner(undefined, options), bytes);
      return parsed.ok && parsed.value?.symbology;
    });
    expect(symbologies).toEqual(['upca', 'ean13']);
  });

  it.each([
    ['one byte before the identifier', {}, report({ 0: [2, 3], 3: ']C0', 6: 'ABC' }), ']C0', 'ABC'],
    ['no identifier (Newland)', { noAim: true }, report({ 0: [2, 4], 2: 'ABCD', 62: 'x' }), null, 'ABCD'],
    ['the identifier in the data (Microscan)', {}, report({ 0: [1, 7], 2: ']Q1ABCD' }), ']Q1', 'ABCD'],
    ['a terminator at the end of the data', {}, report({ 0: [2, 5], 2: ']C0', 5: 'ABC\r\n' }), ']C0', 'ABC'],
    ['a report cut short after its data', {}, report({ 0: [2, 3], 2: ']C0', 5: 'ABC' }, 8), ']C0', 'ABC'],
  ])('is read with %s', (_, options, bytes, aim, value) => {
    expect(readPosReport(newPosScanner(undefined, options), bytes)).toMatchObject({ ok: true, value: { aim, value } });
  });

  it('is read by its own report descriptor', () => {
    const scanner = newPosScanner(OWN_LAYOUT.ok ? OWN_LAYOUT.value : undefined);
    const first = report({ 0: [7], 1: 'x'.repeat(40), 41: ']Q1', 44: [1] }, 45);
    expect(readPosReport(scanner, first)).toEqual({ ok: true, value: null });
    expect(readPosReport(scanner, report({ 0: [6], 1: 'another report' }, 45))).toEqual({ ok: true, value: null });
    expect(readPosReport(scanner, report({ 0: [7], 1: 'yz' }, 45))).toMatchObject({
      value: { value: `${'x'.repeat(40)}yz`, aim: ']Q1', symbology: 'qr' },
    });
  });

  it('is read without the padding of its parts, where nothing says how many bytes they have', () => {
    const scanner = described(SHORT_PARTS);
    readPosReport(scanner, report({ 0: [7], 4: 'AB', 12: [1] }, 13));
    readPosReport(scanner, report({ 0: [7], 12: [1] }, 13));
    expect(readPosReport(scanner, report({ 0: [7], 4: 'C' }, 13))).toMatchObject({ value: { value: 'ABC' } });
  });

  it('has no identifier in its descriptor’s place for it, where the recipe says that none is sent', () => {
    const bytes = report({ 0: [7], 1: ']Q1', 4: 'ABC' }, 13);
    expect(readPosReport(described(SHORT_PARTS, { noAim: true }), bytes)).toMatchObject({
      value: { value: 'ABC', aim: null },
    });
  });

  it.each([
    ['has no data', '7508 9508 0b3b000100 8102'],
    ['has data of two bytes each', '1500 26ff00 7510 9508 0bfe008c00 8102'],
    ['has data that begin inside a byte', '1500 26ff00 7504 9501 8103 7508 9508 0bfe008c00 8102'],
  ])('is read by the common layout where its descriptor %s', (_, descriptor) => {
    const bytes = report({ 0: [2, 2], 2: ']E0', 5: 'OK' });
    expect(readPosReport(described(descriptor), bytes)).toMatchObject({ value: { value: 'OK', aim: ']E0' } });
  });

  it('has no maker id in a byte that is one of its data', () => {
    const bytes = report({ 0: [2, 56], 3: ']C1', 6: `${'x'.repeat(55)}d` });
    const read = readPosReport(newPosScanner(undefined, { symbologyByte: 'honeywell' }), bytes);
    expect(read).toEqual(readPosReport(newPosScanner(), bytes));
  });

  it('is refused a byte count that its descriptor makes negative', () => {
    const scanner = described('7508 9501 1580 257f 0b3b000100 8102 9508 0bfe008c00 8102');
    expect(readPosReport(scanner, hex('fb 4142434445464748'))).toMatchObject({ ok: false });
    expect(readPosReport(scanner, hex('02 4142434445464748'))).toMatchObject({ value: { value: 'AB' } });
  });

  it.each([
    ['UTF-8 where it is valid', [0xc3, 0xa9, 0xe2, 0x82, 0xac], 'é€'],
    ['Latin-1 where it is not', [0x41, 0xe9, 0x42], 'AéB'],
    ['control characters as they are', [0x5b, 0x29, 0x3e, 0x1e, 0x30, 0x36, 0x1d, 0x50], '[)>\x1e06\x1dP'],
  ])('gives text as %s', (_, data, value) => {
    const bytes = report({ 0: [2, data.length], 2: ']d1', 5: data });
    expect(readPosReport(newPosScanner(), bytes)).toMatchObject({ value: { value } });
  });

  it('takes nothing from other reports, empty ones and empty reads', () => {
    for (const bytes of [
      new Uint8Array(0),
      hex('05ff'),
      hex('02'),
      report({ 0: [2, 0] }),
      report({ 0: [2, 1], 5: '\r' }),
    ])
      expect(readPosReport(newPosScanner(), bytes)).toEqual({ ok: true, value: null });
  });

  it('refuses a byte count the report has no room for, and goes on with the next', () => {
    const scanner = newPosScanner();
    expect(readPosReport(scanner, report({ 0: [2, 57] }))).toMatchObject({ ok: false });
    expect(readPosReport(scanner, report({ 0: [2, 2], 5: 'OK' }))).toMatchObject({ value: { value: 'OK' } });
  });

  it.each([
    ['its data', report({ 0: [2, 4], 2: ']C0', 5: 'ABC' }, 8)],
    ['what is in front of them', report({ 0: [2, 1] }, 2)],
  ])('is refused a byte count larger than a report that was cut in %s', (_, bytes) => {
    expect(readPosReport(newPosScanner(), bytes)).toMatchObject({ ok: false });
  });

  it('is refused in its middle with the parts before: they are not joined to the next read', () => {
    const scanner = newPosScanner();
    expect(readPosReport(scanner, report({ 0: [2, 4], 2: ']E0', 5: '4006', 63: [1] }))).toEqual({
      ok: true,
      value: null,
    });
    expect(readPosReport(scanner, report({ 0: [2, 57], 63: [1] }))).toMatchObject({ ok: false });
    expect(readPosReport(scanner, report({ 0: [2, 2], 5: 'OK' }))).toMatchObject({ value: { value: 'OK', aim: null } });
  });

  it.each(['xE0', '\0\0\0', ']0E', ']E-', ']]0'])('takes the three bytes %j for no AIM identifier', (bytes) => {
    const parsed = readPosReport(newPosScanner(), report({ 0: [2, 2], 2: bytes, 5: 'OK' }));
    expect(parsed).toMatchObject({ ok: true, value: { value: 'OK', aim: null } });
  });

  it.each([
    [4096, { ok: true }],
    [4097, { ok: false, reason: 'read longer than 4096 characters' }],
    [20_000, { ok: false, reason: 'read longer than 4096 characters' }],
  ])('answers for a read of %i characters once, at its end', (length, expected) => {
    const scanner = newPosScanner();
    let left = length;
    for (; left > 56; left -= 56)
      expect(readPosReport(scanner, report({ 0: [2, 56], 5: 'x'.repeat(56), 63: [1] }))).toEqual({
        ok: true,
        value: null,
      });
    expect(readPosReport(scanner, report({ 0: [2, left], 5: 'x'.repeat(left) }))).toMatchObject(expected);
    expect(readPosReport(scanner, report({ 0: [2, 2], 5: 'OK' }))).toMatchObject({ value: { value: 'OK' } });
  });

  it('is refused a read that is too long by what looked like padding within it', () => {
    const scanner = newPosScanner();
    const part = (text: string) => readPosReport(scanner, report({ 0: [2, 56], 5: text, 63: [1] }));
    for (let parts = 0; parts < 300; parts += 1) part(parts === 0 ? 'x' : '');
    part('y');
    expect(readPosReport(scanner, report({ 0: [2, 1], 5: 'z' }))).toMatchObject({ ok: false });
  });

  it('forgets a read that was not finished', () => {
    const scanner = newPosScanner();
    readPosReport(scanner, report({ 0: [2, 2], 2: ']Q1', 5: 'AB', 63: [1] }));
    resetPosScanner(scanner);
    expect(readPosReport(scanner, report({ 0: [2, 2], 5: 'CD' }))).toMatchObject({ value: { value: 'CD', aim: null } });
  });

  it('is woken by the feature report its recipe names', () => {
    expect(featureReportOnOpen({ featureReportOnOpen: 'fe01' })).toEqual(Uint8Array.of(0xfe, 0x01));
    expect(featureReportOnOpen({})).toBeUndefined();
  });
});
