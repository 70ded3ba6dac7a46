/**
 * Epson TM-T88V and TM-T88VI: the commands of ESC/POS as they are now. Real-time commands run wherever they stand
 * (ESC/POS Application Programming Guide, "Real-time commands": also inside the data of another command), and GS ( D
 * disables nothing here, as in printers that merely pass over it by its length. The guide does not say whether the sequence
 * stays in the data that it stood in: both are built.
 * Ranges: TM-T88V Specification, section 7 "Commands"; TM-T88VI Technical Reference Guide, appendix "ESC/POS commands".
 */
import { type Commands, Interpreter } from './interpreter.ts';
import {
  any,
  barCode,
  bitImage,
  carrier,
  command,
  either,
  from,
  functions,
  named,
  one,
  pass,
  rasterImage,
  sized,
  userCharacters,
} from './reading.ts';
import { TM_T88III } from './tm-t88iii.ts';

const BAR_CODES = {
  65: from(11, 12),
  66: one(6, 7, 8, 11, 12),
  67: from(12, 13),
  68: from(7, 8),
  69: from(1, 255),
  70: from(2, 254),
  71: from(2, 255),
  72: from(1, 255),
  73: from(2, 255),
  74: from(2, 255),
  75: one(13),
  76: one(13),
  77: one(13),
  78: from(2, 255),
};

export const TM_T88VI: Commands = {
  ...TM_T88III,
  'DLE \x14': named({
    '\x01': command([from(0, 1), from(1, 8)]),
    '\x02': command([one(1), one(8)]),
    '\x03': command([any, any, any, any, any]),
    '\x07': command([any]),
    '\x08': command([one(1), one(3), one(20), one(1), one(6), one(2), one(8)]),
  }),
  'ESC &': userCharacters(one(3), from(32, 126), ({ fontB }) => (fontB ? 9 : 12)),
  'ESC (': functions('A'),
  'ESC *': bitImage({ 0: 1, 1: 1, 32: 3, 33: 3 }, from(0, 8)),
  'ESC M': command([(n) => either(0, 1)(n) || n === 2 || n === 97], (printer, [n = 0]) => {
    printer.fontB = (n & 1) === 1;
  }),
  'ESC t': command([any]),
  'FS (': functions('ACE'),
  'GS (': functions('ACDEHKLMNPQVkz'),
  'GS 8': named({
    L: carrier([any, any, any, any], (_, [a = 0, b = 0, c = 0, d = 0]) =>
      pass(a + b * 256 + c * 65_536 + d * 16_777_216),
    ),
  }),
  'GS C': named({ 0: command([any, any]), 1: command(Array.from({ length: 6 }, () => any)), 2: command([any, any]) }),
  'GS D': named({ 0: command([one(0x43, 0x53), either(0, 0)]) }),
  'GS I': command([any]),
  'GS Q': named({
    0: carrier([either(0, 3), any, any, any, any], (_, [, xL = 0, xH = 0, yL = 0, yH = 0]) =>
      pass((xL + xH * 256) * (yL + yH * 256)),
    ),
  }),
  'GS c': command([]),
  'GS g': named({ 0: command([any, any, any]), 2: command([any, any, any]) }),
  'GS k': barCode(6, BAR_CODES, false),
  'GS r': command([(n) => either(1, 2)(n) || n === 4 || n === 52]),
  'GS v': rasterImage(from(1, 65_535), from(1, 0x11ff), false),
  'GS z': named({ 0: command([any, any]) }),
  'ESC X': sized,
};

export const tmT88VI = (realTime: 'anywhere' | 'anywhere, taken out') =>
  new Interpreter({
    name: `TM-T88VI, real-time commands ${realTime}`,
    commands: TM_T88VI,
    unknown: realTime === 'anywhere' ? 'lead' : 'both',
    realTime,
    powerOff: true,
    macroMemory: 2048,
  });
