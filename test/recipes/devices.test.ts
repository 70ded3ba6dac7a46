import { describe, expect, it } from 'vitest';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import { rows } from './files.ts';

const table = new RecipeTable(rows);
const rowFor = (ids: string) => {
  const [vendorId = '', productId = ''] = ids.split(':');
  return table.resolve({ vendorId, productId })?.row;
};

describe('scanners known from public lists:', () => {
  it.each([
    ['05e0:1200', 'hid-keyboard', {}],
    ['05f9:2206', 'hid-keyboard', {}],
    ['1eab:0d03', 'hid-keyboard', {}],
    ['1eab:0d10', 'hid-pos', { noAim: true }],
    ['067e:0809', 'hid-pos', {}],
    ['0db5:013b', 'hid-pos', {}],
    ['05e0:1701', 'serial-lines', {}],
    ['1eab:0d06', 'serial-lines', {}],
  ])('%s is read by %s', (ids, codec, options) => {
    expect(rowFor(ids)).toMatchObject({ kind: 'scanner', codec, options });
  });

  it('Honeywell HID POS scanners are woken, and their own symbology id is read', () => {
    const options = { symbologyByte: 'honeywell', featureReportOnOpen: 'fe01' };
    for (const ids of ['0c2e:fffe', '23d0:fffe']) expect(rowFor(ids)).toMatchObject({ codec: 'hid-pos', options });
  });

  it.each([
    ['05e0:1900', 'SNAPI'],
    ['05e0:1300', 'IBM hand-held'],
    ['05f9:1206', 'IBM hand-held'],
    ['0c2e:0720', 'USB serial'],
    ['05e0:0600', 'USB serial'],
    ['05f9:5204', 'vendor mode'],
  ])('%s is refused by the name of its mode, %s', (ids, refuse) => {
    expect(rowFor(ids)).toMatchObject({ kind: 'scanner', refuse });
  });

  it('in three modes of a Newland, ids ending in 03, 06 and 10 are keyboard, serial and HID POS', () => {
    const of = (ending: string) =>
      rows.filter(({ vendorId, productId }) => vendorId === '1eab' && productId.endsWith(ending));
    const keyboards = of('03').map(({ codec }) => codec);
    expect(keyboards).toEqual(keyboards.map(() => 'hid-keyboard'));
    expect(of('10').every(({ codec, options }) => codec === 'hid-pos' && options['noAim'] === true)).toBe(true);
    expect(of('06').every(({ codec }) => codec === 'serial-lines')).toBe(true);
    expect(keyboards).toHaveLength(16);
  });
});

describe('hubs and cameras known from public lists:', () => {
  it.each([
    ['05e3:0608', 'hub', 'usb-hub'],
    ['0424:9514', 'hub', 'usb-hub'],
    ['2109:2813', 'hub', 'usb-hub'],
    ['046d:0825', 'camera', 'mjpeg'],
    ['05a3:9230', 'camera', 'mjpeg'],
  ])('%s has its name: it is a %s', (ids, kind, codec) => {
    expect(rowFor(ids)).toMatchObject({ kind, codec, options: {} });
  });
});

describe('scales known from public lists:', () => {
  it.each(['0922:8004', '0eb8:f000', '1446:6a78', '2474:3550', '7b7c:0100'])('%s is read', (ids) => {
    expect(rowFor(ids)).toMatchObject({ kind: 'scale', codec: 'hid-scale' });
  });

  it('a Dymo M10 is known to switch itself off after three minutes', () => {
    expect(rowFor('0922:8003')?.options).toEqual({ units: ['g', 'oz'], autoOffSeconds: 180 });
  });

  it.each(['04d9:8010', '06c2:0072'])('%s, which is no HID scale, is refused by name', (ids) => {
    expect(rowFor(ids)?.refuse).toBe('private scale protocol');
  });

  it('0471:0055, which a printer and a scale share, has no row that takes the scale for a printer', () => {
    expect(rowFor('0471:0055')).toBeUndefined();
  });
});

it('a maker of printers and scanners keeps both: 067e and 0404', () => {
  expect(rowFor('067e:0801')).toMatchObject({ kind: 'scanner' });
  expect(rowFor('067e:fffe')).toMatchObject({ kind: 'printer', refuse: 'IPL' });
  expect(rowFor('0404:0310')).toMatchObject({ kind: 'printer', codec: 'escpos' });
});
