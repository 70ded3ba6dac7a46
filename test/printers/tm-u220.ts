/**
 * Epson's impact printers. TM-U220: TM-U220A Specification, section 6 "Commands" (ESC & with y = 2, ESC * with m = 0 and 1;
 * GS v 0, GS !, GS $, GS L, GS W, GS P, GS k, GS *, GS : and GS ^ are not in it, so that their parameters are text).
 * TM-U230 and TM-U295: TM-U230 Specification, section "ESC *": "m other than 0 and 1: the data is processed as normal data".
 * TM-U295 (slip): ESC ! ESC f ESC q ESC F and no GS but GS I, GS a, GS r. Real-time commands: 6.2, as soon as they are received.
 */
import { type Commands, Interpreter } from './interpreter.ts';
import {
  any,
  bitImage,
  carrier,
  command,
  either,
  from,
  functions,
  initialise,
  kanjiModes,
  named,
  one,
  prints,
  pulse,
  selects,
  storedImages,
  styles,
  tabs,
  userCharacters,
  withData,
} from './reading.ts';

const TM_U220: Commands = {
  ...styles,
  ...kanjiModes,
  'DLE \x04': command([from(1, 4)]),
  'DLE \x05': command([from(1, 2)]),
  'DLE \x14': command([one(1), from(0, 1), from(1, 8)]),
  'ESC  ': command([any]),
  'ESC %': command([any]),
  'ESC &': userCharacters(one(2), from(32, 126), () => 12),
  'ESC *': bitImage({ 0: 1, 1: 1 }, from(0, 1)),
  'ESC -': command([either(0, 2)]),
  'ESC 2': command([]),
  'ESC 3': command([any]),
  'ESC <': command([]),
  'ESC =': selects,
  'ESC ?': command([from(32, 126)]),
  'ESC @': initialise,
  'ESC D': tabs,
  'ESC E': command([any]),
  'ESC G': command([any]),
  'ESC J': prints(any),
  'ESC K': prints(from(0, 48)),
  'ESC R': command([from(0, 13)]),
  'ESC U': command([any]),
  'ESC a': command([either(0, 2)]),
  'ESC c': named({ 3: command([any]), 4: command([any]), 5: command([any]) }),
  'ESC d': prints(any),
  'ESC e': prints(from(0, 2)),
  'ESC i': prints(),
  'ESC m': prints(),
  'ESC p': pulse(),
  'ESC r': command([either(0, 1)]),
  'ESC t': command([(n) => n <= 8 || (n >= 16 && n <= 19) || n === 26 || n >= 254]),
  'ESC u': command([one(0)]),
  'ESC v': command([]),
  'ESC {': command([any]),
  'FS !': command([any]),
  'FS -': command([any]),
  'FS 2': withData([from(0x77, 0xfe), any], 32),
  'FS C': command([either(0, 1)]),
  'FS S': command([any, any]),
  'FS W': command([any]),
  'FS p': prints(from(1, 255), either(0, 1)),
  'FS q': storedImages(from(1, 50), from(1, 32), ({ line }) => !line),
  'GS (': functions('AEK'),
  'GS I': command([(n) => (n >= 1 && n <= 3) || (n >= 49 && n <= 51) || (n >= 65 && n <= 69)]),
  'GS V': carrier([(m) => either(0, 1)(m) || m === 65 || m === 66], function* (printer, [m = 0]) {
    if (m >= 65) yield 1;
    printer.line = false;
  }),
  'GS a': command([any]),
  'GS r': command([either(1, 2)]),
  'GS z': named({ 0: command([any, any]) }),
};

const TM_U295: Commands = {
  ...Object.fromEntries(Object.entries(TM_U220).filter(([name]) => !/^FS [pq2]|^ESC [&%?rK]|^GS [(Vz]/.test(name))),
  'ESC *': bitImage({ 0: 1, 1: 1 }, from(0, 1)),
  'ESC F': command([any]),
  'ESC f': command([any, any]),
  'ESC q': command([]),
};

const impact = (name: string, commands: Commands, unknown: 'both' | 'lead') =>
  new Interpreter({ name, commands, unknown, realTime: 'anywhere', macroMemory: 0, deselects: true });

export const tmU220 = () => impact('TM-U220', TM_U220, 'both');
export const tmU295 = () => impact('TM-U295', TM_U295, 'lead');
