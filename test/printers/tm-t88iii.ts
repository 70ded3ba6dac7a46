/**
 * Epson TM-T88III, as strict as its manual: a parameter out of its range ends the command, and what follows is data.
 * Ranges: TM-T88III series Specification (STANDARD) Rev. B, section 6.3 "Control Commands" (the page of each command there;
 * GS : 122, GS ^ 132, DLE EOT 82). Real-time commands: 6.2 and the notes of DLE DC4, "processed as a real-time command also
 * where it is part of another command's data". The manual knows no GS ( D and no GS ( L.
 */
import { type Commands, Interpreter } from './interpreter.ts';
import {
  any,
  barCode,
  bitImage,
  carrier,
  command,
  downloadedImage,
  either,
  from,
  functions,
  initialise,
  kanjiModes,
  macros,
  named,
  one,
  pageModes,
  prints,
  pulse,
  rasterImage,
  selects,
  storedImages,
  styles,
  tabs,
  userCharacters,
  withData,
} from './reading.ts';

/** n of GS k with m = 65…73. */
const BAR_CODES = {
  65: from(11, 12),
  66: from(11, 12),
  67: from(12, 13),
  68: from(7, 8),
  69: from(1, 255),
  70: from(2, 255),
  71: from(1, 255),
  72: from(1, 255),
  73: from(2, 255),
};

const one8 = [any];

export const TM_T88III: Commands = {
  ...macros,
  ...pageModes,
  ...styles,
  ...kanjiModes,
  // Real-time ones are seen before these; what stands here is how many bytes they are.
  'DLE \x04': command([from(1, 4)]),
  'DLE \x05': command([from(1, 2)]),
  'DLE \x14': command([one(1), from(0, 1), from(1, 8)]),
  'ESC \f': command([]),
  'ESC  ': command(one8),
  'ESC $': command([any, any]),
  'ESC %': command(one8),
  'ESC &': userCharacters(one(3), from(32, 126), ({ fontB }) => (fontB ? 9 : 12)),
  'ESC *': bitImage({ 0: 1, 1: 1, 32: 3, 33: 3 }, from(0, 3)),
  'ESC -': command([either(0, 2)]),
  'ESC 2': command([]),
  'ESC 3': command(one8),
  'ESC =': selects,
  'ESC ?': command([from(32, 126)]),
  'ESC @': initialise,
  'ESC D': tabs,
  'ESC E': command(one8),
  'ESC G': command(one8),
  'ESC J': prints(any),
  'ESC R': command([from(0, 13)]),
  'ESC T': command([either(0, 3)]),
  'ESC V': command([either(0, 1)]),
  'ESC W': command(Array.from({ length: 8 }, () => any)),
  'ESC \\': command([any, any]),
  'ESC a': command([either(0, 2)]),
  'ESC c': named({ 3: command(one8), 4: command(one8), 5: command(one8) }),
  'ESC d': prints(any),
  'ESC i': prints(),
  'ESC m': prints(),
  'ESC p': pulse(),
  'ESC t': command([(n) => n <= 5 || (n >= 16 && n <= 19) || n === 26 || n >= 254]),
  'ESC u': command([one(0)]),
  'ESC v': command([]),
  'ESC {': command(one8),
  'FS !': command(one8),
  'FS -': command([either(0, 2)]),
  'FS 2': withData([from(0x77, 0xfe), any], 72),
  'FS C': command([either(0, 1)]),
  'FS S': command([any, any]),
  'FS W': command(one8),
  'FS g': named({
    1: carrier([one(0), any, any, any, one(0), any, any], function* (printer, [, , , , , low = 0, high = 0]) {
      if (!printer.line && !printer.pageMode) yield low + high * 256 || 1;
    }),
    2: command([one(0), any, any, any, one(0), any, any]),
  }),
  'FS p': prints(from(1, 255), either(0, 3)),
  // "Normal data where the line is not empty, and in page mode."
  'FS q': storedImages(from(1, 1023), from(1, 288), ({ line, pageMode }) => !line && !pageMode),
  'GS !': command([(n) => (n & 0x88) === 0]),
  'GS $': command([any, any]),
  'GS (': functions('AK'),
  'GS *': downloadedImage(from(1, 255), from(1, 48), 1536),
  'GS /': prints(either(0, 3)),
  'GS B': command(one8),
  'GS E': command(one8),
  'GS H': command([either(0, 3)]),
  'GS I': command([(n) => (n >= 1 && n <= 3) || (n >= 49 && n <= 51) || (n >= 65 && n <= 69)]),
  'GS L': command([any, any]),
  'GS P': command([any, any]),
  'GS T': command([either(0, 1)]),
  'GS V': carrier([(m) => either(0, 1)(m) || m === 65 || m === 66], function* (printer, [m = 0]) {
    if (m >= 65) yield 1;
    printer.line = false;
  }),
  'GS W': command([any, any]),
  'GS \\': command([any, any]),
  'GS a': command(one8),
  'GS b': command(one8),
  'GS f': command([either(0, 1)]),
  'GS h': command([from(1, 255)]),
  'GS k': barCode(6, BAR_CODES, false),
  'GS r': command([either(1, 2)]),
  'GS v': rasterImage(from(1, 256), from(1, 8 * 256 + 255), false),
  'GS w': command([from(2, 6)]),
};

export const tmT88III = () =>
  new Interpreter({
    name: 'TM-T88III',
    commands: TM_T88III,
    unknown: 'both',
    realTime: 'anywhere',
    macroMemory: 2048,
    deselects: true,
  });
