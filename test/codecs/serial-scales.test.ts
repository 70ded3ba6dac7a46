/** Scales on a serial line: the messages of the manuals, and what is not one. */
import { describe, expect, it } from 'vitest';
import { sevenBits } from '../../codecs/serial-line.ts';
import { readMessages, type SaidUnit } from '../../codecs/serial-scale.ts';
import { PROTOCOLS } from '../../codecs/serial-scales.ts';

const toledo = (text: string, said?: SaidUnit) => readMessages(PROTOCOLS['toledo-8217'], text, said).reading;
const without = (fault: string) => ({ ok: true, value: { weight: null, unit: null, stable: false, fault } });
const weighs = (weight: number, unit: string) => ({ ok: true, value: { weight, unit, stable: true, fault: null } });

describe('a Toledo 8217, whose messages have no unit,', () => {
  it.each([
    ['\x0204.876\r', undefined, weighs(4.876, 'kg')],
    ['\x0204.87\r', undefined, weighs(4.87, 'lb')],
    ['\x0204.876N\r', 'kg', weighs(4.876, 'kg')],
    ['\x0204.875\r', 'lb', weighs(4.875, 'lb')],
    ['\x0201250\r', 'g', weighs(1250, 'g')],
  ] as const)('has that of the manual, or the one that was said: %j, %s', (text, said, expected) => {
    expect(toledo(text, said)).toEqual(expected);
  });

  it.each([
    ['grams, which nobody has said', '\x0201250\r', undefined],
    ['a form that no manual has', '\x02048.7\r', undefined],
    ['kilograms that have lost a digit', '\x0204.87\r', 'kg'],
    ['kilograms that have lost their point', '\x0204876\r', 'kg'],
    ['grams that are kilograms', '\x0204.876\r', 'g'],
  ] as const)('has none for %s', (_, text, said) => {
    expect(toledo(text, said)).toEqual({ ok: false, reason: 'unit not known' });
  });

  it('is not understood where its message is not whole', () => {
    for (const text of ['\x0204.87', '04.876\r', '\x0204.8\x0276', '\x02\r']) expect(toledo(text)).toBeUndefined();
  });
});

describe('a CAS PD-II', () => {
  const cas = (weight: string) => readMessages(PROTOCOLS['cas-pd2'], `\x01\x02S ${weight}kgx\x03\x04`).reading;

  it('whose weight has lost its point, or never had one, is not understood', () => {
    expect(cas('04.876')).toEqual(weighs(4.876, 'kg'));
    for (const weight of ['004876', '04 876']) expect(cas(weight)).toMatchObject({ ok: false });
  });
});

describe('a scale that sends by itself', () => {
  const stream = (text: string) =>
    readMessages(PROTOCOLS['scale-stream'], sevenBits(Buffer.from(text, 'latin1'))).reading;

  it.each([
    ['ST,GS,+  4.876kg\r\n', weighs(4.876, 'kg')],
    ['ST,GS,1\xe4,000013.5 kg\r\n', weighs(13.5, 'kg')],
    ['ST,NT,9\xe6,-  0.2 kg\r\n', undefined],
    // T-Scale's NHB, of which there is a log.
    ['ST,GS    20.7g  \r\n', weighs(20.7, 'g')],
    ['US,GS    20.7g  \r\n', { ok: true, value: { weight: 20.7, unit: 'g', stable: false, fault: null } }],
    // A&D's: gross and net, and how it compares with a target.
    ['ST,+00012.78  g\r\n', weighs(12.78, 'g')],
    ['ST,G ,+01234.5kg\r\n', weighs(1234.5, 'kg')],
    ['ST,N ,+0001.234kg\r\n', weighs(1.234, 'kg')],
    ['ST,HI,+0001.234 kg\r\n', weighs(1.234, 'kg')],
    ['ST,--,+0001.234 kg\r\n', weighs(1.234, 'kg')],
    ['ST,+00012.78  t\r\n', { ok: false, reason: 'unit "t"' }],
    ['QT,+00012345 PC\r\n', undefined],
    ['OL,+999999.9  g\r\n', without('over_limit')],
    ['OL,G ,+    .  kg\r\n', without('over_limit')],
    ['OL,-999999.9  g\r\n', without('under_zero')],
    // A tare and a preset one are no weights.
    ['ST,T ,+01234.5kg\r\n', undefined],
    ['ST,PT,+01234.5kg\r\n', undefined],
    ['ST,TR,+  0.500kg\r\n', undefined],
    ['ST,PT,   0.500 kg\r\n', undefined],
    [
      'ST,NT,9\xe6,-    0.2 kg\r\n',
      { ok: true, value: { weight: -0.2, unit: 'kg', stable: false, fault: 'under_zero' } },
    ],
  ])('says %j', (text, expected) => expect(stream(text)).toEqual(expected));

  it('with a decimal comma is not understood, and never for a part of its weight', () => {
    for (const weight of ['+4,876kg', '+0,000 kg', ' 4,876 kg', '14,876kg', '+  4,876kg', '4,876.5 kg'])
      expect(stream(`ST,GS,${weight}\r\n`), weight).toBeUndefined();
  });
});

it.each([
  ['nci', '\n001.0\n00KG\r\n00\r\x03'],
  ['toledo-8217', '\x0201.\x0200.000\r'],
  ['cas-pd2', '\x01\x02S 01.0\x01\x02S 00.000kgx\x03\x04'],
  ['scale-stream', 'ST,.000kg\r\n'],
  ['scale-stream', 'ST,GS.000kg\r\n'],
] as const)('what is left of a message of %s is no weight: %j', (name, text) => {
  expect(readMessages(PROTOCOLS[name], text).reading).toBeUndefined();
});

it.each([
  ['nci', 'x\x03!\n004.876KG\r\n00\r\x03'],
  ['toledo-8217', 'x!\r\x0204.876\r'],
  ['cas-pd2', '\x03\x04x\x01\x02S 04.876kgx\x03\x04'],
  ['mt-sics', 'x!S S      4.876 kg\r\n'],
  ['scale-stream', 'x!ST,+00004.876 kg\r\n'],
] as const)('what stands before a message of %s is noise: %j', (name, text) => {
  expect(readMessages(PROTOCOLS[name], text).reading).toEqual(weighs(4.876, 'kg'));
});

describe('pounds and ounces', () => {
  const ounces = (weight: number) => ({
    ok: true,
    value: { weight, unit: 'oz', stable: weight > 0, fault: weight < 0 ? 'under_zero' : null },
  });

  it.each([
    ['nci', '\n  1lb  2.3oz\r\n00\r\x03', ounces(18.3)],
    ['nci', '\n- 1LB  2.3OZ\r\n00\r\x03', ounces(-18.3)],
    ['mt-sics', 'S S   12:07.50 lb:oz\r\n', ounces(199.5)],
    ['mt-sics', 'S S  - 0:07.50 lb:oz\r\n', ounces(-7.5)],
    ['mt-sics', 'S S   12:16.50 lb:oz\r\n', { ok: false, reason: '16.50 ounces' }],
    ['mt-sics', 'S S   12:07.50 kg\r\n', { ok: false, reason: 'weight "12:07.50"' }],
  ] as const)('of %s are ounces: %j', (name, text, expected) => {
    expect(readMessages(PROTOCOLS[name], text).reading).toEqual(expected);
  });
});
