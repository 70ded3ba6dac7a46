import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageOf, parseDeviceId, type RefusedLanguage } from '../../codecs/ieee1284.ts';
import vectors from '../spec/ieee1284.json' with { type: 'json' };

const TABLE: readonly RefusedLanguage[] = [
  { name: 'Star', commandSets: ['STAR', 'STARLINE', 'STARPRNT'], words: ['TSP', 'mPOP'] },
  { name: 'ZPL', commandSets: ['ZPL'], words: ['Zebra', 'ZTC'] },
  { name: 'EPL2', commandSets: ['EPL', 'EPL2'], words: [] },
  { name: 'CPCL', commandSets: ['CPCL'], words: [] },
  { name: 'TSPL', commandSets: ['TSPL', 'TSPL2'], words: ['TSC'] },
  { name: 'Dymo', commandSets: [], words: ['DYMO', 'LabelWriter'] },
  { name: 'office', commandSets: ['PCL', 'ESCPR*'], words: [] },
];

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const framed = (text: string, length = text.length + 2) =>
  Uint8Array.from([length >> 8, length & 0xff, ...Buffer.from(text, 'latin1')]);
const value = (reply: Uint8Array) => {
  const parsed = parseDeviceId(reply);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
};
const verdict = (text: string) => languageOf(value(framed(text)), TABLE);

describe('a device id', () => {
  it.each(vectors)('of $name', ({ reply, verdict, language }) => {
    expect(languageOf(value(bytes(reply)), TABLE)).toEqual(language ? { verdict, language } : { verdict });
  });

  it('is read by long or short keys, in any case, without outer blanks', () => {
    const id = value(
      framed('manufacturer: Zebra ;Model:ZD\u0000 420;COMMAND SET: ZPL , EPL;sern:01;DESCRIPTION:x;MFG: '),
    );
    expect(id).toMatchObject({
      manufacturer: 'Zebra',
      model: 'ZD 420',
      commandSets: ['ZPL', 'EPL'],
      serial: '01',
      description: 'x',
    });
  });

  it('ends where its length says, and where the reply does', () => {
    expect(value(framed('MFG:EPSON;MDL:TM-T20;SN:1', 18)).fields.has('SN')).toBe(false);
    expect(value(framed('MFG:EPSON;MDL:TM-T20', 900)).model).toBe('TM-T20');
  });

  it.each([
    ['MFG:EPSON;MDL:TM-T88VII;CMD:ESC/PO', 'escpos'],
    ['MFG:EPSON;MDL:TM-T88VII;CMD:ESC/POS', 'escpos'],
    ['MFG:ACME;MDL:A1;CMD:ESC/P', 'escpos-assumed'],
    ['MFG:ACME;MDL:A1;CMD:ZPL', 'escpos-assumed'],
    ['MFG:ACME;MDL:A1;CMD:PCL,ESC', 'escpos-assumed'],
    ['MFG:ACME;MDL:A1;COMMAND SET:PCL,X', 'escpos-assumed'],
    ['CMD:ESC/PO;MFG:ACME', 'refuse'],
    ['CMD:ZPL;MFG:ACME;MDL:A', 'refuse'],
    ['MFG:Zebra;MDL:ZTC 1;CMD:ZP', 'refuse'],
    ['MFG:ACME;MDL:A1;CMD:ZPL;', 'refuse'],
    ['MFG:ACME;MDL:A1;CMD:ZPL; ', 'refuse'],
  ])('names another language only in a field that is whole: %s', (text, expected) => {
    expect(verdict(text).verdict).toBe(expected);
  });

  it('is empty for a printer that has none', () => {
    expect(value(bytes('0002'))).toMatchObject({ manufacturer: '', commandSets: [] });
    expect(value(bytes('0000')).fields.size).toBe(0);
  });

  it.each(['', '00', '0010 ffffffff ffffffff ffffffff ffff'])('is refused where it is none: %s', (hex) => {
    expect(parseDeviceId(bytes(hex)).ok).toBe(false);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (reply) => {
        const parsed = parseDeviceId(reply);
        if (parsed.ok)
          expect(['escpos', 'escpos-assumed', 'refuse']).toContain(languageOf(parsed.value, TABLE).verdict);
        else expect(parsed.reason).not.toBe('');
      }),
      { seed: 1284 },
    );
  });
});

describe('the language of a printer', () => {
  it.each([
    ['EPSON said by a clone', 'MFG:Printer;CMD:EPSON;MDL:POS-80;', { verdict: 'escpos' }],
    ['EPSON said by an Epson receipt printer', 'MFG:EPSON;CMD:EPSON;MDL:TM-T88III;', { verdict: 'escpos' }],
    [
      'EPSON said by an Epson dot-matrix printer',
      'MFG:EPSON;CMD:EPSON;MDL:LQ-350;',
      { verdict: 'refuse', language: 'EPSON' },
    ],
    ['any spelling of ESC/POS', 'MFG:x;CMD:TSPL, esc-pos;', { verdict: 'escpos' }],
    ['a family of languages', 'MFG:EPSON;CMD:ESCPR7;MDL:XP-6000;', { verdict: 'refuse', language: 'office' }],
    ['one that nobody listed', 'MFG:x;CMD:QXL,ABC;', { verdict: 'refuse', language: 'QXL' }],
    ['the model alone', 'MFG:;MDL:Star TSP143;', { verdict: 'refuse', language: 'Star' }],
    ['a word inside another word', 'MFG:Fitsco;MDL:ETSC 80;', { verdict: 'escpos-assumed' }],
  ])('is known by %s', (_, text, wanted) => {
    expect(verdict(text)).toEqual(wanted);
  });
});
