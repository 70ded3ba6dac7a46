import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endLine, newLine, takeSerial } from '../../codecs/serial-lines.ts';

const text = (read: ReturnType<typeof endLine>[number]) => (read.ok ? read.value.value : read.reason);

describe('a serial line', () => {
  it('gives the same reads however its bytes are cut', () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(10, 13, 0x5d, 0x45, 0x30), fc.nat(255)), { maxLength: 60 });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(60), { maxLength: 5 }), (list, cuts) => {
        const whole = newLine();
        const expected = [...takeSerial(whole, Uint8Array.from(list)), ...endLine(whole)].map(text);
        const pieces = newLine();
        const at = [0, ...cuts.sort((a, b) => a - b), list.length];
        const found = at.flatMap((from, index) =>
          takeSerial(pieces, Uint8Array.from(list.slice(from, Math.max(from, at[index + 1] ?? from)))),
        );
        expect([...found, ...endLine(pieces)].map(text)).toEqual(expected);
      }),
      { seed: 20 },
    );
  });

  it('holds 16 KB and no more', () => {
    const line = newLine();
    takeSerial(line, new Uint8Array(100_000).fill(0x41));
    expect([line.used, line.tooLong]).toEqual([16_384, true]);
    expect(takeSerial(line, Uint8Array.of(13, 0x42, 10)).map(text)).toEqual(['read longer than 4096 characters', 'B']);
  });
});
