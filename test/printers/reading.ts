/** How commands read what follows them. Ranges and sizes are the models' own, out of their manuals. */
import { AGAIN, type Command, type Interpreter, type Reading } from './interpreter.ts';

export type Range = (value: number) => boolean;
export const any: Range = () => true;
export const from =
  (low: number, high: number): Range =>
  (value) =>
    value >= low && value <= high;
/** A digit or two, as a number or as its character: most selections are taken in both ways. */
export const either = (low: number, high: number): Range => {
  const [number, character] = [from(low, high), from(low + 0x30, high + 0x30)];
  return (value) => number(value) || character(value);
};
export const one =
  (...values: readonly number[]): Range =>
  (value) =>
    values.includes(value);

export const word = (low = 0, high = 0) => low + high * 256;

/** Reads a parameter for each range; one out of its range ends the command there, and what follows is data. */
export const command = (
  ranges: readonly Range[],
  run: (printer: Interpreter, values: readonly number[]) => void = () => undefined,
): Command =>
  carrier(ranges, (printer, values) => {
    run(printer, values);
    return pass(0);
  });

/** A command whose parameters say how many bytes of data follow. */
export const carrier = (
  ranges: readonly Range[],
  run: (printer: Interpreter, values: readonly number[]) => Reading,
): Command =>
  function* (printer) {
    const values: number[] = [];
    for (const range of ranges) {
      const value = yield 1;
      if (!range(value)) return;
      values.push(value);
    }
    yield* run(printer, values);
  };

export function* pass(bytes: number): Reading {
  if (bytes > 0) yield bytes;
}

/** The command that a third byte names, as in GS v 0 or ESC c 3. */
export const named = (commands: Readonly<Record<string, Command>>): Command =>
  function* (printer) {
    const chosen = commands[String.fromCharCode(yield 1)];
    if (chosen) yield* chosen(printer);
  };

/** ESC p m t1 t2. */
export const pulse = (pins: Range = either(0, 1)) => command([pins, any, any], (printer) => printer.do('pulse'));

/** DLE DC4 1 m t, for printers that know it as a command alone. */
export const realTimePulse = command([one(1), from(0, 1), from(1, 8)], (printer) => printer.do('pulse'));

/** ESC @ */
export const initialise = command([], (printer) => printer.initialise());

/** ESC D n1…nk NUL: ascending columns, 32 at most; one that is not higher ends the command and is data. */
export const tabs: Command = function* () {
  for (let count = 0, last = 0; count <= 32; count += 1) {
    const column = yield 1;
    if (column === 0) return;
    if (column <= last || count === 32) {
      yield AGAIN;
      return;
    }
    last = column;
  }
};

/** ESC & y c1 c2 [x d1…d(y·x)] for each character. */
export const userCharacters = (rows: Range, first: Range, width: (printer: Interpreter) => number): Command =>
  function* (printer) {
    const y = yield 1;
    if (!rows(y)) return;
    const c1 = yield 1;
    if (!first(c1)) return;
    const c2 = yield 1;
    if (!first(c2) || c2 < c1) return;
    for (let character = c1; character <= c2; character += 1) {
      const x = yield 1;
      if (x > width(printer)) return;
      yield* pass(x * y);
    }
  };

/** ESC * m nL nH d1…dk, by the bytes in a column for each m that there is. */
export const bitImage = (columnBytes: Readonly<Record<number, number>>, high: Range): Command =>
  function* (printer) {
    const bytes = columnBytes[yield 1];
    if (bytes === undefined) return;
    const low = yield 1;
    const nH = yield 1;
    if (!high(nH)) return;
    printer.line = true;
    yield* pass(word(low, nH) * bytes);
  };

/** GS v 0 m xL xH yL yH d1…dk, with text on the line (where it is then text) or without. */
export const rasterImage = (columns: Range, rows: Range, behindText: boolean): Command =>
  named({
    0: carrier([either(0, 3), any, any], function* (printer, [, xL, xH]) {
      const x = word(xL, xH);
      if (!columns(x) || (!behindText && printer.line)) return;
      const y = word(yield 1, yield 1);
      if (rows(y)) yield* pass(x * y);
    }),
  });

/** GS * x y d1…d(x·y·8). */
export const downloadedImage = (x: Range, y: Range, both: number): Command =>
  carrier([x, y], (_, [width = 0, height = 0]) => pass(width * height <= both ? width * height * 8 : 0));

/** FS q n [xL xH yL yH d1…dk] for each of n images, where it is read at all. */
export const storedImages = (columns: Range, rows: Range, read: (printer: Interpreter) => boolean): Command =>
  function* (printer) {
    if (!read(printer)) return;
    for (let images = yield 1; images > 0; images -= 1) {
      const x = word(yield 1, yield 1);
      if (!columns(x)) return;
      const y = word(yield 1, yield 1);
      if (!rows(y)) return;
      yield* pass(x * y * 8);
    }
  };

/** GS k: m 0…`zeroEnded` end with NUL, m of `counted` carry their length, with its range; `alphabet` ends the first kind early. */
export const barCode = (zeroEnded: number, counted: Readonly<Record<number, Range>>, behindText: boolean): Command =>
  function* (printer) {
    const m = yield 1;
    if (!behindText && printer.line) return;
    const lengths = counted[m];
    if (lengths) {
      const n = yield 1;
      if (lengths(n)) yield* pass(n);
    } else if (m <= zeroEnded) {
      for (let data = yield 1; data !== 0; data = yield 1) {
        if (data < 0x20 || data > 0x7e) {
          yield AGAIN;
          return;
        }
      }
    }
  };

/** pL pH and as many bytes. */
export const sized: Command = carrier([any, any], (_, [low, high]) => pass(word(low, high)));

/** The functions of ESC (, FS ( or GS ( that a printer has, each with pL pH. */
export const functions = (letters: string): Command =>
  named(Object.fromEntries([...letters].map((letter) => [letter, sized])));

/** Two-byte pictures and codes of a fixed size behind ranges. */
export const withData = (ranges: readonly Range[], bytes: number) => carrier(ranges, () => pass(bytes));

export const macros = {
  'GS :': command([], (printer) => printer.markMacro()),
  'GS ^': command([any, any, from(0, 1)], (printer, [times = 0]) => printer.runMacro(times)),
};

/** ESC L and ESC S. */
export const pageModes = {
  'ESC L': command([], (printer) => {
    if (!printer.line) printer.pageMode = true;
  }),
  'ESC S': command([], (printer) => {
    printer.pageMode = false;
  }),
};

/** ESC d n, ESC J n and the like: the line is on paper. */
export const prints = (...ranges: readonly Range[]) =>
  command(ranges, (printer) => {
    printer.line = false;
  });

/** ESC ! n and ESC M n: which font user-defined characters have. */
export const styles = {
  'ESC !': command([any], (printer, [n = 0]) => {
    printer.fontB = (n & 1) === 1;
  }),
  'ESC M': command([either(0, 1)], (printer, [n = 0]) => {
    printer.fontB = (n & 1) === 1;
  }),
};

/** ESC = n: bit 0 is the printer. */
export const selects = command([any], (printer, [n = 0]) => {
  printer.deselected = (n & 1) === 0;
});

/** FS & and FS . : two-byte characters on and off. */
export const kanjiModes = {
  'FS &': command([], (printer) => {
    printer.kanji = true;
  }),
  'FS .': command([], (printer) => {
    printer.kanji = false;
  }),
};
