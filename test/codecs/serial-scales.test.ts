/** Scales on a serial line: the messages of the manuals, and what is not one. */
import { describe, expect, it } from 'vitest';
import { sevenBits } from '../../codecs/serial-line.ts';
import { readMessages, type SaidUnit } from '../../codecs/serial-scale.ts';
import { PROTOCOLS } from '../../codecs/serial-scales.ts';

const toledo = (text: string, said?: SaidUnit) => readMessages(PROTOCOLS['toledo-8217'], text, said).reading;
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
