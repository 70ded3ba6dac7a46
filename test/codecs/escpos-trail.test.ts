import { describe, expect, it } from 'vitest';
import { noMacros } from '../../codecs/escpos-macro.ts';
import { Trail } from '../../codecs/escpos-trail.ts';
import { bytes } from './filtered.ts';

const spaced = (b: Uint8Array) =>
  Buffer.from(b)
    .toString('hex')
    .replace(/..(?=.)/g, '$& ');
const DLE = 0x10;
/** What leaves of these pieces, one after the other. */
function guarded(...pieces: string[]): string {
  const trail = new Trail();
  return pieces
    .map((hex) => {
      const piece = bytes(hex);
      trail.guard(piece);
      return spaced(piece);
    })
    .join(' ');
}

describe('a byte becomes NUL', () => {
  it.each([
    ['that makes ESC p', '41 1b 70 00', '41 1b 00 00'],
    ['that makes a real-time pulse', '10 14 01 00 01', '10 14 00 00 01'],
    ['that powers off', '10 14 02 01 08', '10 14 00 01 08'],
    ['that clears the buffer', '10 14 08', '10 14 00'],
    ['that runs a macro, once one was begun', '1d 3a 42 1d 5e 01', '1d 3a 42 1d 00 01'],
    ['with which a macro begins, behind whatever its end is', '1d 3a 70', '1d 3a 00'],
    ['behind a real-time command with which it goes on', '1d 3a 07 41 70', '1d 3a 07 41 00'],
    ['behind a status request that a printer takes out', '1b 10 04 01 70', '1b 10 04 01 00'],
    ['behind two of them', '1b 10 04 01 10 05 02 70', '1b 10 04 01 10 05 02 00'],
    ['that begins a real-time command inside another', '1b 10 10 04 01 04 01 70', '1b 10 00 04 01 04 01 70'],
    ['that begins one where the first parameter of another stands', '1b 10 04 10 05 01', '1b 10 04 00 05 01'],
    ['behind a buzzer', '1b 10 14 03 01 02 03 04 05 70', '1b 10 14 03 01 02 03 04 05 00'],
    ['behind an ink request of three bytes, and of four', '1b 10 04 07 01 70', '1b 10 04 07 01 00'],
    ['between the halves of DLE DC4', '10 10 04 01 14 01', '10 10 04 01 14 00'],
    ['behind DLE DC4 with a request after it', '10 14 10 05 03 01', '10 14 10 05 03 00'],
    ['behind a real-time command that breaks off', '1b 10 41 70', '1b 10 41 00'],
    ['behind a DLE alone', '1b 10 70', '1b 10 00'],
    ['in a real-time command that breaks off', '1b 10 14 70', '1b 10 14 00'],
    ['behind a buzzer with GS : in it', '1b 10 14 03 01 1d 3a 02 03 70', '1b 10 14 03 01 1d 3a 00 03 00'],
    ['behind another of them', '10 14 10 14 03 00 1d 3a 00 03 01 00 01', '10 14 10 14 03 00 1d 3a 00 03 00 00 01'],
    ['behind a buzzer with ESC @ in it', '1b 10 14 03 01 1b 40 02 03 70', '1b 10 14 03 01 1b 40 02 03 00'],
    ['behind a buzzer with ESC = in it', '1b 10 14 03 1b 3d 00 00 03 70', '1b 10 14 03 1b 3d 00 00 03 00'],
    ['behind a status with CAN in it', '10 14 10 14 07 18 01', '10 14 10 14 07 18 00'],
    ['behind one request that another was taken out of', '10 10 10 04 01 04 01 14 01', '10 10 10 04 01 04 01 14 00'],
    ['that makes a request of GS', '1b 1d 05 70', '1b 1d 00 70'],
    ['that selects another language', '1f 1b 1f fc 01 02 03 33', '1f 1b 1f 00 01 02 03 33'],
    ['that selects it behind a request in its middle', '1f 10 04 01 1b 1f fc 01', '1f 10 04 01 1b 1f 00 01'],
    [
      'that selects another language behind another request in its middle',
      '1f 1b 10 14 03 01 02 03 04 05 1f fc',
      '1f 1b 10 14 03 01 02 03 04 05 1f 00',
    ],
    [
      'that selects another language behind the longest request in its middle',
      '1f 1b 1f 10 14 07 01 fc',
      '1f 1b 1f 10 14 07 01 00',
    ],
    ['that selects the command set of Bematech', '1d f9 35 00', '1d f9 00 00'],
    ['that selects it for good', '1d f9 20 00', '1d f9 00 00'],
    ['that selects it behind a request in its middle', '1d 10 04 01 f9 10 05 01 35', '1d 10 04 01 f9 10 05 01 00'],
    ['that could end a macro with its beginning', '1d 3a 1d f9 1d 3a 35', '1d 3a 1d 00 1d 3a 35'],
    ['that makes a request of GS inside of it', '1f 1d 04 01 1b 1f fc', '1f 1d 00 01 1b 1f fc'],
  ])('%s', (_, sent, left) => {
    expect(guarded(sent)).toBe(left);
    const all = sent.split(' ');
    for (let cut = 1; cut < all.length; cut++)
      expect(guarded(all.slice(0, cut).join(''), all.slice(cut).join(''))).toBe(left);
  });

  it.each([
    '1b 00 70',
    '1b 10 41 41 70',
    '10 10 41 41 14 01',
    '1d 03 1d 04 01 1d 05 70',
    '10 14 07 01',
    '1b 10 04 01 41 70',
    '10 04 01 70',
    '1d 1b 5e',
    '14 01',
    '1d 5e 01 00 00',
    '04 41',
    '1f 1b 1f 70',
    '1b 3d f9 35',
    '1b 3d 3a 1d 5e 01 00 00',
    '1d 3a 41 41 41 41 41 41 41 41 41 5e',
    '1d 3a 41 41 41 41 41 41 41 41 41 f9',
  ])('that would do harm, and no byte does of %s', (sent) => {
    expect(guarded(sent)).toBe(sent);
  });

  /** The bytes behind DLE, and how many more the printer takes for their command (Epson ESC/POS, the page of each). */
  const COMMANDS: [string, number][] = [
    ['04 01', 0],
    ['04 07', 1],
    ['04 08', 1],
    ['04 12', 1],
    ['05 01', 0],
    ['14 00', 0],
    ['14 01', 2],
    ['14 02', 2],
    ['14 03', 5],
    ['14 07', 1],
    ['14 08', 7],
  ];
  it.each(COMMANDS)('behind ESC, DLE %s and up to %i bytes of the node, and not behind one more', (command, more) => {
    for (const [before, last] of [
      ['1b', 0x70],
      ['1f 1b 1f', 0xfc],
    ] as const) {
      const left = Array.from({ length: more + 2 }, (_, count) => {
        const trail = new Trail();
        trail.follow(bytes(`${before} 10 ${command} ${'00'.repeat(count)}`));
        const piece = Uint8Array.of(last);
        trail.guard(piece);
        return piece[0];
      });
      expect(left).toEqual([...Array.from({ length: more + 1 }, () => 0), last]);
    }
  });

  it.each([
    ['p, up to seven bytes later', '41 41 41 41 41 41 41', 0x70, 0],
    ['p, but no more than seven', '41 41 41 41 41 41 41 41', 0x70, 0x70],
    ['DLE behind EOT, whose DLE may have stood behind others', '41 41 41 41 41 41 04', DLE, 0],
  ])('that may end what nobody knows: %s', (_, before, last, left) => {
    const trail = new Trail();
    trail.lose();
    trail.guard(bytes(before));
    const piece = Uint8Array.of(last);
    trail.guard(piece);
    expect([...piece]).toEqual([left]);
  });

  it('whatever the printer saw last, where nobody knows', () => {
    for (const byte of [0x70, 0x5e, 1, 2, 8]) {
      const trail = new Trail({ ...noMacros(), begun: true });
      trail.lose();
      const piece = Uint8Array.of(byte);
      trail.guard(piece);
      expect([...piece]).toEqual([0]);
    }
  });
});

describe('bytes of the node', () => {
  const goes = (before: string, own: string) => {
    const trail = new Trail();
    trail.guard(bytes(before));
    return trail.goesWith(bytes(own));
  };
  it('are kept apart only where they would do harm with what was there before', () => {
    expect(goes('1b', '70 00')).toBe(false);
    expect(goes('1b 100401', '70 00')).toBe(false);
    expect(goes('1b', '1b 70 00 19 fa')).toBe(true);
    expect(goes('10 14', '10 04 03')).toBe(true);
    expect(goes('10 14', '10 04 01')).toBe(false);
    expect(goes('10', '14 01 00 01')).toBe(false);
    expect(goes('1b 10', '04 01 70')).toBe(false);
    expect(goes('1b 10 04', '01 70')).toBe(false);
  });

  it('are followed: a client does not complete them', () => {
    const trail = new Trail();
    trail.follow(bytes('41 1b'));
    const piece = bytes('70 41');
    trail.guard(piece);
    expect([...piece]).toEqual([0, 0x41]);
  });
});

describe('the trail knows of what was sent', () => {
  it.each([
    ['an even n', '1b 3d 00', true],
    ['an odd n', '1b 3d 01', false],
    ['a GS, which may begin a request before the n', '1b 3d 1d', true],
    ['an n behind a request that a printer takes out', '1b 10 04 01 3d 02', true],
    ['no n yet', '1b 3d', false],
    ['a byte between ESC and the =', '1b 1d 3d 02', false],
    ['another byte between', '1b 3d 01 02', false],
  ])('that the printer may be deselected: ESC = with %s', (_, sent, expected) => {
    const trail = new Trail();
    trail.guard(bytes(sent));
    expect(trail.mayBeDeselected).toBe(expected);
  });

  it.each([
    ['1b 70', true],
    ['10 14 01', true],
    ['1b 41 70', false],
    ['1b 01', false],
    ['10 14 03', false],
  ])('whether the macro that is recorded holds a pulse: of %s, %s', (sent, expected) => {
    const trail = new Trail();
    trail.follow(bytes(`1d 3a ${'41'.repeat(9)} ${sent}`));
    expect(trail.macros).toEqual({ begun: true, recording: true, pulse: expected });
    const outside = new Trail();
    outside.follow(bytes(sent));
    expect(outside.macros.pulse).toBe(false);
  });
});
