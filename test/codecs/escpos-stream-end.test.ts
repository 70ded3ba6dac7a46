import { describe, expect, it } from 'vitest';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import { NOWHERE } from '../../codecs/escpos-stretches.ts';
import { bytes, FilteredPrinter, PASSIVE } from './filtered.ts';
import { pulses, type Quirks } from './printer-model.ts';

function connection(input: Uint8Array, printer = new FilteredPrinter(), inOrder = false) {
  const { stream, push, end } = printer.connect();
  push(input);
  const { atBoundary } = stream;
  printer.take();
  return { atBoundary, missing: end(inOrder), added: printer.take().replaceAll(' ', '') };
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
const strict: Quirks = { emptyLineOnly: true, lenient: false, noPageMode: false, listToNul: false, twoBytes: false };

describe('when a connection ends,', () => {
  it('and it was inside a payload of a job that deselected the printer, nothing deselects it again: the caller resets it', () => {
    const { stream, push, end } = new FilteredPrinter().connect();
    push(bytes('1b3d02'));
    expect(Buffer.from(stream.selection).toString('hex')).toBe('1b3d02');
    push(bytes('1d284b0500 4142'));
    expect(end(true)).toBe(3);
    expect(stream.selection).toHaveLength(0);
  });

  it.each([
    ['between two commands nothing is added', '41 0a', ''],
    ['the beginning of a command is thrown away', '41 1b 70 00', ''],
    ['an unknown lead byte gets NULs', '41 1b 1b', '000000'],
    [
      'an unknown lead byte behind which a command was taken out gets NULs, one of them in its place',
      '41 1b 100401',
      '0000',
    ],
    ['an unknown lead byte that has had parameters gets NULs, too', '41 1b 02 1b700019fa', '00'],
    ['a character of which bytes are missing leaves, with NULs', '41 f0', 'f0000000'],
    ['a character of JIS gets NULs', '1c26 3441 34', '000000'],
    ['a whole character of JIS gets none', '1c26 3441 20 3441', ''],
    ['letters behind the mode of JIS get none', '1c26 3441 1c2e 41', ''],
    ['an unfinished payload gets its rest in NUL', '1d284b0500 4142', '000000'],
    ['missing user-defined characters are blank', '1b26 03 41 43 01 414141', '0000'],
    ['missing images have no size', '1c71 02 0100 0100 41414141', '0000000000000000'],
    ['bar code data gets its NUL', '1d6b05 31320a', '00'],
    ['a deselected printer is selected again', '1b3d02 41', '1b3d01'],
    ['a printer that may be deselected, as ESC = stood in a payload, is selected, too', '1d284b0300 1b3d00', '1b3d01'],
    ['a payload that goes nowhere gets nothing', '1d2844ffff 1401', ''],
  ])('%s', (_, input, added) => {
    expect(connection(bytes(input)).added).toBe(added);
  });

  it('images that break off are completed once, and those behind them are left out', () => {
    const printer = new FilteredPrinter();
    const { push, end } = printer.connect();
    const images = bytes('1c71ff 01000100 4141414141414141 00000000'.repeat(50));
    push(images);
    end();
    // As many more images of twelve bytes as the first one announces.
    expect(bytes(printer.take()).length).toBeLessThanOrEqual(images.length + 254 * 12);
    expect(printer.told).toContain('oversized');
  });

  it('the filter says how many bytes of a payload never came', () => {
    expect(connection(bytes('1d384c 01000100')).missing).toBe(65_537);
    expect(connection(bytes('1d284b0500 4142')).missing).toBe(3);
  });

  it.each([
    ['41', '0a'],
    ['41 09', '0a'],
    ['c3a9', '0000000a'],
    ['41 0a', ''],
    ['41 0d0a', ''],
    ['41 1b6401', ''],
    ['41 1b40', ''],
    ['1b4c 41', '1b53'],
    ['1b4c 41 0c 42', '0a'],
    ['1b3d02 41', '1b3d01'],
  ])('and did so in order, %s gets the LF that it forgot: %s', (input, added) => {
    expect(connection(bytes(input), new FilteredPrinter(), true).added).toBe(added);
  });

  it.each([
    ['41', true],
    ['41 1b', true],
    ['1d284b0200 41', false],
    ['1d6b04 41 0a', false],
    ['1b 1b', false],
    ['1d2844ffff 14', true],
    ['1d3a 41', true],
  ])('another command may be put in behind %s: %s', (input, expected) => {
    expect(connection(bytes(input)).atBoundary).toBe(expected);
  });

  it('what the connection left on the line still counts for the next connection to this printer', () => {
    const printer = new FilteredPrinter();
    connection(bytes('41'), printer);
    printer.connect().push('1d763000 0100 0100 ff');
    expect(printer.take()).toBe('0a 1d 76 30 00 01 00 01 00 ff');
  });
});

describe('a job of every payload command', () => {
  const whole = (...pieces: Uint8Array[]) => {
    const printer = new FilteredPrinter();
    const { push, end } = printer.connect();
    for (const piece of pieces) push(piece);
    end();
    return printer.out.toString('hex');
  };

  it('comes out the same for every cut, and every pair of cuts up to 32 bytes apart', () => {
    const wanted = whole(JOB);
    let splits = 0;
    for (let first = 0; first < JOB.length; first++) {
      for (let second = first; second < Math.min(first + 32, JOB.length); second++) {
        const out = whole(JOB.subarray(0, first), JOB.subarray(first, second), JOB.subarray(second));
        if (out !== wanted) expect.fail(`cut at ${first} and ${second}: ${out}`);
        splits++;
      }
    }
    expect(splits).toBeGreaterThan(10_000);
  });

  it('opens no drawer, cut off anywhere and followed by any rest of itself', () => {
    expect(pulses(JOB, strict)).toBeGreaterThan(0);
    for (let cut = 0; cut < JOB.length; cut++) {
      const printer = new FilteredPrinter();
      for (const part of [JOB.subarray(0, cut), JOB.subarray(cut)]) {
        const { push, end } = printer.connect();
        push(part);
        expect(end()).toBeLessThan(100_000);
      }
      expect(pulses(printer.out, strict)).toBe(0);
    }
  });
});

// FS q: n, then for each image xL xH yL yH and its data. ESC & y c1 c2: for each character x, then y times x bytes.
it.each([
  ['1c71ff', 4 + 254 * 4],
  ['1c71ff010001', 1 + 8 + 254 * 4],
  ['1c7102 0100', 2 + 4],
  ['1b26032022', 3],
])('a command %s that broke off lacks all of its parts, without data', (input, lacks) => {
  const stream = new EscposStream({ ...PASSIVE, asSent: true });
  stream.push(bytes(input), NOWHERE);
  expect(stream.owed).toBe(lacks);
});
