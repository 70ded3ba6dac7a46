import { describe, expect, it } from 'vitest';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import { freshMode, type PrinterMode } from '../../codecs/escpos-tokenizer.ts';
import { pulses } from '../fuzz/printer-model.ts';

const OPTIONS = { takeStatus: false, realtimePulseDisable: false, pulseOnBel: false };
const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');

function connection(input: Uint8Array, mode: PrinterMode = freshMode()) {
  const out: Buffer[] = [];
  const sink = { forward: (part: Uint8Array) => void out.push(Buffer.from(part)), status: () => {}, dropped: () => {} };
  const stream = new EscposStream(OPTIONS, mode);
  stream.push(Uint8Array.from(input), sink);
  const { atBoundary } = stream;
  const before = Buffer.concat(out).toString('hex');
  const { owed } = stream.end(sink);
  const all = Buffer.concat(out);
  return { atBoundary, owed, out: all, added: all.toString('hex').slice(before.length) };
}

/** Every command with a payload, pulses between them, pulses inside them. */
const JOB = bytes(
  `1b40 41420a 1b700019fa 1d763000 0500 0200 1b700019fa 1014010001 1d284c1400 3070300101312800 0200 1b700019fa 1b700019fa
   1d384c0c000000 3070300101310800 0100 10 41 1d286b0800 315030 1b700019fa 1b2a21 0200 1b700019faff 0a 1b2a00 0500 1b700019fa 0a
   1d6b4907 7b411b700019fa 0a 1d6b04 41424300 1b2603 4142 02 1b700019fa00 01 101401 1d2a0101 1b700019fa 000000
   1c7102 01000100 1b700019fa000000 01000100 4110140100014141 1c32 7721 ${'1b700019fa'.repeat(14)} 0000
   1c6731000000000005 00 1b700019fa 1d443043304141303142 4d1400000000000000 1b700019fa00 1014010001 1b4408101b00 1b331b 70
   1d5130000500 0100 1b700019fa 1d284103 00 1b7000 100401 1014010001 1d3a411b700019fa1d3a 1d5e010000 1b1b700019fa 0a
   1b6101 ${Buffer.from('Corner Shop, 12 Market Street\n').toString('hex')} 1d763000 0800 0800 ${'1b70001014010a41'.repeat(8)} 1d5600`,
);
const strict = { emptyLineOnly: true, lenient: false, noPageMode: false, listToNul: false, twoBytes: false };

describe('when the connection ends', () => {
  it.each([
    ['between two commands nothing is added', '41 0a', ''],
    ['the beginning of a command is thrown away', '41 1b 70 00', ''],
    ['an unknown lead byte gets a NUL', '41 1b 1b', '00'],
    ['DLE at the end of a payload gets a NUL', '1d284b0100 10', '00'],
    ['an unfinished payload gets its rest in NUL', '1d284b0500 4142', '000000'],
    ['what was kept back of a payload is sent first', '1d284b0500 4110', '10000000'],
    ['missing user-defined characters are blank', '1b26 03 41 43 01 414141', '0000'],
    ['missing images are blank', '1c71 02 0100 0100 41414141', '00000000010001000000000000000000'],
    ['bar code data gets its NUL', '1d6b05 31320a', '00'],
    ['a deselected printer is selected again', '1b3d02 41', '1b3d01'],
    ['a payload that goes nowhere gets nothing', '1d2844ffff 1401', ''],
  ])('%s', (_, input, added) => {
    expect(connection(bytes(input))).toMatchObject({ added, owed: 0 });
  });

  it('says how many NULs are owed instead of sending more than 65,536', () => {
    expect(connection(bytes('1d384c 01000100'))).toMatchObject({ owed: 65_537, added: '' });
    const filled = connection(bytes('1d384c 00000100'));
    expect(filled.owed).toBe(0);
    expect(filled.added).toHaveLength(2 * 65_536);
  });

  it.each([
    ['41', true],
    ['41 1b', true],
    ['1d284b0200 41', false],
    ['1d6b04 41 0a', false],
    ['1b 1b', false],
    ['1d2844ffff 14', true],
  ])('after %s another command may be put in: %s', (input, expected) => {
    expect(connection(bytes(input)).atBoundary).toBe(expected);
  });

  it('what it left on the line still counts for the next connection to this printer', () => {
    const mode = freshMode();
    connection(bytes('41'), mode);
    expect(connection(bytes('1d763000 0100 0100 ff'), mode).out.toString('hex')).toBe('0a1d76300001000100ff');
  });
});

describe('a job of every payload command', () => {
  const wanted = connection(JOB).out.toString('hex');

  it('comes out the same for every cut, and every pair of cuts', () => {
    let out = '';
    const forward = (part: Uint8Array) => {
      out += Buffer.prototype.hexSlice.call(part, 0, part.length);
    };
    const sink = { forward, status: () => {}, dropped: () => {} };
    let splits = 0;
    for (let first = 0; first < JOB.length; first++) {
      for (let second = first; second < JOB.length; second++) {
        const stream = new EscposStream(OPTIONS);
        const copy = Uint8Array.from(JOB);
        out = '';
        stream.push(copy.subarray(0, first), sink);
        stream.push(copy.subarray(first, second), sink);
        stream.push(copy.subarray(second), sink);
        stream.end(sink);
        if (out !== wanted) expect.fail(`cut at ${first} and ${second}: ${out}`);
        splits++;
      }
    }
    expect(splits).toBeGreaterThan(100_000);
  });

  it('opens no drawer, cut off anywhere and followed by any rest of itself', () => {
    expect(pulses(JOB, strict)).toBeGreaterThan(0);
    for (let cut = 0; cut < JOB.length; cut++) {
      const mode = freshMode();
      const { out, owed } = connection(JOB.subarray(0, cut), mode);
      expect(owed).toBe(0);
      expect(pulses(Buffer.concat([out, connection(JOB.subarray(cut), mode).out]), strict)).toBe(0);
    }
  });
});
