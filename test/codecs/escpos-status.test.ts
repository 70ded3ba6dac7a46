import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersIn, decodeStatus, initialBackChannel } from '../../codecs/escpos-status.ts';
import vectors from '../spec/escpos-status.json' with { type: 'json' };

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
/** `type:hex` of each item, the chunks read one after the other. */
function read(chunks: readonly string[], expected = 0) {
  let state = initialBackChannel;
  let awaited = expected;
  const read: string[] = [];
  for (const chunk of chunks) {
    const answer = answersIn(state, bytes(chunk), awaited);
    state = answer.state;
    for (const item of answer.items) {
      if (item.type === 'status') awaited--;
      read.push(`${item.type}:${Buffer.from(item.bytes).toString('hex')}`);
    }
  }
  return { read, held: state.partial.length };
}

describe('DLE EOT 1 to 4', () => {
  it.each(vectors)(
    '$name',
    ({ replies, known, online, coverOpen, paperOut, paperLow, drawerLineHigh, cutterError }) => {
      const drawerPinHigh = drawerLineHigh;
      const wanted = { known: true, online, coverOpen, paperOut, paperLow, drawerPinHigh, cutterError };
      expect(decodeStatus(bytes(replies))).toMatchObject(known === false ? { known: false } : wanted);
    },
  );

  it('counts an error that the printer does not name', () => {
    expect(decodeStatus(bytes('1a 52 12 12'))).toMatchObject({ error: true, unrecoverableError: false });
    expect(decodeStatus(bytes('1a 52 32 12'))).toMatchObject({ error: true, unrecoverableError: true });
    expect(decodeStatus(bytes('1a 12 52 12'))).toMatchObject({ error: true, recoversByItself: true });
    expect(decodeStatus(bytes('12 12 12 12'))).toMatchObject({ error: false });
  });

  it('is not known when one answer is missing', () => {
    expect(decodeStatus(bytes('12 12 12'))).toEqual({ known: false });
  });
});

describe('the back-channel', () => {
  it.each([
    ['awaited status', ['12 16'], 2, ['status:12', 'status:16']],
    ['a status byte nobody awaits', ['12 16'], 1, ['status:12', 'byte:16']],
    ['ASB among status', ['12 14 00 00 0f 12'], 2, ['status:12', 'asb:1400000f', 'status:12']],
    ['ASB in pieces', ['14', '00 00', '0f 12'], 1, ['asb:1400000f', 'status:12']],
    ['ASB that breaks off', ['14 00 12'], 1, ['byte:1400', 'status:12']],
    ['GS I maker', ['5f 45 50 53 4f 4e', '00'], 0, ['info:5f4550534f4e00']],
    ['an info block that breaks off', ['5f 45 12'], 1, ['byte:5f45', 'status:12']],
    ['GS ( H process id', ['37 22 30 30 34 32 00'], 0, ['processId:37223030343200']],
    ['a process id cut short', ['37 22 30 00 12'], 1, ['byte:372230', 'byte:00', 'status:12']],
    ['a memory switch', ['37 21 30 31 00'], 0, ['memorySwitch:3721303100']],
    ['7 alone', ['37 41'], 0, ['byte:37', 'byte:41']],
    ['GS r and GS I', ['00 02 63'], 4, ['byte:00', 'byte:02', 'byte:63']],
  ])('cuts out %s', (_, chunks, expected, wanted) => {
    expect(read(chunks, expected)).toEqual({ read: wanted, held: 0 });
  });

  it('gives an info block up after 128 bytes', () => {
    const { read: items, held } = read(['5f', '41'.repeat(128)]);
    expect(items[0]).toBe(`byte:5f${'41'.repeat(127)}`);
    expect({ count: items.length, held }).toEqual({ count: 2, held: 0 });
  });

  it('loses no byte, holds at most 128, and does not care how the stream is cut', () => {
    const stream = fc.array(fc.oneof(fc.constantFrom(0x12, 0x14, 0, 0x0f, 0x37, 0x22, 0x21, 0x5f), fc.nat(255)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(stream, fc.nat(300), fc.nat(4), (list, cut, expected) => {
        const hex = Buffer.from(list).toString('hex');
        const at = 2 * Math.min(cut, list.length);
        const whole = read([hex], expected);
        expect(read([hex.slice(0, at), hex.slice(at)], expected)).toEqual(whole);
        expect(whole.held).toBeLessThanOrEqual(128);
        const out = whole.read.map((item) => item.split(':')[1]).join('');
        expect(out).toBe(hex.slice(0, hex.length - 2 * whole.held));
      }),
      { seed: Number(process.env['FUZZ_SEED'] ?? 9100) },
    );
  });
});
