import { describe, expect, it } from 'vitest';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import known from '../spec/printers.json' with { type: 'json' };
import { rows } from './files.ts';

const table = new RecipeTable(rows);
const rowFor = (ids: string, deviceId?: { mfg?: string; mdl?: string; codec?: string }) => {
  const [vendorId = '', productId = ''] = ids.split(':');
  return table.resolve({ vendorId, productId }, deviceId)?.row;
};
/** A product that no row names. */
const UNNAMED = 'fffe';

describe('printers known from public lists', () => {
  it('have a row each', () => {
    const has = new Set(rows.map(({ vendorId, productId }) => `${vendorId}:${productId}`));
    expect(known.filter(({ vendorId, productId }) => !has.has(`${vendorId}:${productId}`))).toEqual([]);
  });

  const of = (wanted: string) =>
    known
      .filter(({ language }) => language === wanted)
      .map(({ vendorId, productId }) => `${vendorId}:${productId === '*' ? UNNAMED : productId}`);

  it.each(of('escpos'))('%s is driven once its device id lists ESC/POS', (ids) => {
    expect(rowFor(ids, { mfg: 'X', mdl: 'SRP-350', codec: 'escpos' })?.codec).toBe('escpos');
  });

  // The stock id of an STM32 serial port is refused by the model alone, see below.
  it.each(of('refused').filter((ids) => ids !== '0483:5740'))('%s is refused by name', (ids) => {
    expect(rowFor(ids)?.refuse).toMatch(/\w/);
  });
});

describe('an id that receipt printers share with others is decided by the device id:', () => {
  it.each([
    ['0fe6:811e', 'XP-410B', 'TSPL'],
    ['0fe6:811e', 'A4RJ', 'XPP'],
    ['1fc9:2016', 'xp-365b', 'TSPL'],
    ['0483:5740', 'TP88', 'XPP'],
    ['1504:00aa', 'SLP-TX400', 'SLCS'],
  ])('%s that calls itself %s is refused as %s', (ids, mdl, language) => {
    expect(rowFor(ids, { mdl })?.refuse).toBe(language);
  });

  it.each(['0fe6:811e', '1fc9:2016', '6868:0500', '0471:0055', '2d37:cbb4', '04b8:0fff', '2730:0fff', '04c5:1234'])(
    '%s is driven only where the device id lists ESC/POS',
    (ids) => {
      expect([rowFor(ids), rowFor(ids, { mfg: 'X', mdl: 'Y' })]).toEqual([undefined, undefined]);
      expect(rowFor(ids, { mfg: 'X', mdl: 'Y', codec: 'escpos' })?.codec).toBe('escpos');
    },
  );

  it('a Samsung is a receipt printer where its model is an SRP', () => {
    expect(rowFor('0419:3c00', { mfg: 'Samsung', mdl: 'SRP-350', codec: 'escpos' })?.id).toBe('samsung-srp');
    expect(rowFor('0419:3c00', { mfg: 'Samsung', mdl: 'ML-1710', codec: 'escpos' })).toBeUndefined();
  });

  it('a Star printer is refused as Star, unless its owner switched it to ESC/POS', () => {
    expect(rowFor('0519:0001')?.refuse).toBe('Star');
    expect(rowFor('0519:0043', { mdl: 'SM-S230i' })?.refuse).toBe('Star');
    expect(rowFor('0519:0001', { mfg: 'Star', mdl: 'TSP654', codec: 'escpos' })).toBeUndefined();
    expect(rowFor('0519:0043', { mdl: 'SM-S230i', codec: 'escpos' })?.codec).toBe('escpos');
  });

  it('the width of a TM on a shared interface follows its model', () => {
    expect(rowFor('04b8:0202', { mfg: 'EPSON', mdl: 'TM-T88V-JPN', codec: 'escpos' })?.id).toBe('epson-tm-t88v');
    expect(rowFor('04b8:0202')?.id).toBe('epson-tm-ub-u05');
    expect(rowFor('0416:5011', { mdl: 'POS58' })?.options).toMatchObject({ columns: 32, dots: 384, cutter: false });
  });
});
