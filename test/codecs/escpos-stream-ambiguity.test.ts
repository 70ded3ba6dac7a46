import { describe, expect, it } from 'vitest';
import { EscposStream } from '../../codecs/escpos-stream.ts';

const OPTIONS = { takeStatus: false, realtimePulseDisable: false, pulseOnBel: false };
const PULSE = '1b 70 00 19 fa';

function filter(hex: string): string {
  let out = '';
  const sink = {
    forward: (part: Uint8Array) => {
      out += Buffer.from(part).toString('hex');
    },
    status: () => {},
    dropped: () => {},
  };
  new EscposStream(OPTIONS).push(Buffer.from(hex.replaceAll(' ', ''), 'hex'), sink);
  return out.replace(/..(?=.)/g, '$& ');
}

describe('a header that no printer can honour is taken out, and what it counts is read as commands', () => {
  it.each([
    ['GS v 0 of mode 9', '1d 76 30', '09 05 00 01 00'],
    ['GS * of no width', '1d 2a', '00 05'],
    ['ESC & of five bytes a column', '1b 26', '05 41 41'],
    ['FS q of no image', '1c 71', '00 01 00 01 00'],
    ['GS k of an unknown symbology', '1d 6b', '51 05'],
    ['ESC * of an unknown density', '1b 2a', '07 05 00'],
    ['GS k EAN-13 of ESC', '1d 6b 43', '05'],
    ['GS k CODE128 too short', '1d 6b 49', '01'],
    ['GS D that is no BMP', '1d 44 30 43 30 41 41 30 31', '58 58 46 00'],
  ])('%s', (_, taken, read) => {
    expect(filter(`41 ${taken} ${read} ${PULSE} 42`)).toBe(`41 ${read} 42`);
  });

  it('ESC W whose parameters hold ESC p, which a printer without page mode would see', () => {
    expect(filter(`1b57 ${PULSE} 41 00 00 42`)).toBe('41 00 00 42');
    const page = '1b 57 00 00 00 00 40 02 10 1b';
    expect(filter(`${page} 00 42`)).not.toContain('1b 57');
    expect(filter('1b 57 00 00 10 00 40 02 1b 00')).toBe('1b 57 00 00 10 00 40 02 1b 00');
  });

  it('a payload of gigabytes goes nowhere', () => {
    expect(filter(`41 1d384c ffffffff ${PULSE} 42`)).toBe('41');
  });
});

describe('a command that text on the line would turn into text', () => {
  it.each([
    ['GS v 0', `1d 76 30 00 05 00 01 00 ${PULSE}`],
    ['GS *', `1d 2a 01 01 ${PULSE} 00 00 00`],
    ['GS k with ESC in its data', `1d 6b 48 05 ${PULSE.replace('fa', '7a')}`],
    ['GS k with ESC p among parameters in its data', '1d 6b 48 0a 1b 57 1b 70 00 19 7a 00 00 00'],
  ])('gets an LF before it: %s', (_, command) => {
    expect(filter(`41 ${command} 42`)).toBe(`41 0a ${command} 42`);
    expect(filter(`41 0a ${command} 42`)).toBe(`41 0a ${command} 42`);
    expect(filter(`41 1b 64 01 ${command}`)).toBe(`41 1b 64 01 ${command}`);
  });

  it('stays as it is where its data is harmless as text', () => {
    const code = '1d 6b 43 0d 34 30 30 36 33 38 31 33 33 33 39 33 31';
    expect(filter(`41 ${code}`)).toBe(`41 ${code}`);
  });

  it('gets an LF inside a macro, which may run anywhere', () => {
    const image = `1d 76 30 00 05 00 01 00 ${PULSE}`;
    expect(filter(`1d3a ${image} 1d3a`)).toBe(`1d 3a 0a ${image} 1d 3a`);
  });

  it('is not misled by the LF that an unknown command may take for its parameter', () => {
    const image = `1d 76 30 00 05 00 01 00 ${PULSE}`;
    expect(filter(`41 1b4f0a ${image}`)).toBe(`41 1b 4f 0a 00 0a ${image}`);
  });
});

describe('a deselected printer', () => {
  it('is not given ESC = inside a payload that it does not follow', () => {
    expect(filter(`1b3d02 1d284b0800 1b3d01 ${PULSE} 1b3d01`)).toBe(
      '1b 3d 02 1d 28 4b 08 00 00 3d 01 00 70 00 19 fa 1b 3d 01',
    );
  });

  it('is not given a pulse either', () => {
    expect(filter(`1b3d02 41 ${PULSE} 1014010001 42`)).toBe('1b 3d 02 41 42');
  });
});

describe('what may still wait for a byte gets a NUL before anything that could hide in it', () => {
  it.each([
    ['an unknown command before a payload', '1b 4f 1d 28 4b 01 00 41', '1b 4f 00 1d 28 4b 01 00 41'],
    ['an unknown command before plain text', '1b 4f 41 42 43', '1b 4f 41 42 43'],
    [
      'bar code data without its NUL before a payload',
      '1d 6b 04 41 0a 1d 28 4b 01 00 41',
      '1d 6b 04 41 0a 00 1d 28 4b 01 00 41',
    ],
    ['tab stops without their NUL', '1b 44 08 10 05 41', '1b 44 08 10 00 05 41'],
    ['half a character before a payload', 'e9 1d 28 4b 01 00 41', 'e9 00 1d 28 4b 01 00 41'],
    ['half a character before a position that spells ESC p', 'e9 1b 24 1b 70 00', 'e9 00 1b 24 1b 70 00'],
    ['half a character that a parameter may be', 'e9 1b 45 e9 1b 24 1b 70 00', 'e9 1b 45 e9 00 1b 24 1b 70 00'],
    ['half a character before what is harmless as text', 'e9 1b 45 01 41', 'e9 1b 45 01 41'],
    ['code table 27, which not every printer has', '1b 74 1b 70 61', '1b 74 1b 00 70 61'],
  ])('%s', (_, input, output) => {
    expect(filter(input)).toBe(output);
  });
});
