/**
 * QR Code model 2 in byte mode (ISO/IEC 18004), small enough for the page: of the size that the printer draws, and with
 * the first mask of the eight, whichever the printer takes.
 */

type Level = 'l' | 'm' | 'q' | 'h';

/** Error correction codewords of a block, and blocks, by version from 1 (ISO/IEC 18004, table 9). */
const EC_CODEWORDS: Readonly<Record<Level, string>> = {
  l: '7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28 28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  m: '10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28',
  q: '13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30 28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  h: '17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28 30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
};
const BLOCKS: Readonly<Record<Level, string>> = {
  l: '1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8 8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25',
  m: '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49',
  q: '1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20 23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68',
  h: '1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25 25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81',
};
const LEVEL_BITS: Readonly<Record<Level, number>> = { l: 1, m: 0, q: 3, h: 2 };

const column = (table: Readonly<Record<Level, string>>, level: Level, version: number): number =>
  Number(table[level].split(' ')[version - 1]);

/** Centres of the alignment patterns on either axis. */
const alignmentCentres = (version: number): number[] => {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const centres = [6];
  for (let at = 0; at < count - 1; at += 1) centres.splice(1, 0, version * 4 + 10 - at * step);
  return centres;
};

/** Modules left for codewords, counted as the standard's drawing has them. */
const codewords = (version: number): number => {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
    if (version >= 7) modules -= 36;
  }
  return modules >> 3;
};

const dataCodewords = (version: number, level: Level): number =>
  codewords(version) - column(EC_CODEWORDS, level, version) * column(BLOCKS, level, version);

/** Multiplication in GF(256) with the polynomial 11D. */
const multiply = (a: number, b: number): number => {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
};

const generator = (degree: number): number[] => {
  const polynomial = [...new Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let each = 0; each < degree; each += 1) {
    for (let at = 0; at < degree; at += 1) polynomial[at] = multiply(polynomial[at]!, root) ^ (polynomial[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return polynomial;
};

const remainder = (data: Uint8Array, divisor: readonly number[]): number[] => {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    if (factor) for (let at = 0; at < rest.length; at += 1) rest[at]! ^= multiply(divisor[at]!, factor);
  }
  return rest;
};

/** Mode, count, data, terminator and padding. */
const dataStream = (data: Uint8Array, version: number, capacity: number): Uint8Array => {
  const bits = new Uint8Array(capacity);
  let at = 0;
  const put = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1, at += 1) bits[at >> 3]! |= ((value >> bit) & 1) << (7 - (at & 7));
  };
  put(4, 4);
  put(data.length, version < 10 ? 8 : 16);
  for (const byte of data) put(byte, 8);
  at = Math.min(Math.ceil((at + 4) / 8) * 8, capacity * 8);
  for (let pad = 0xec; at < capacity * 8; pad ^= 0xec ^ 0x11) put(pad, 8);
  return bits;
};

/** Splits into blocks, adds error correction to each, and deals the codewords out in turn. */
const interleaved = (stream: Uint8Array, version: number, level: Level): number[] => {
  const count = column(BLOCKS, level, version);
  const divisor = generator(column(EC_CODEWORDS, level, version));
  const short = Math.floor(stream.length / count);
  const longFrom = count - (stream.length % count);
  const blocks: Uint8Array[] = [];
  for (let block = 0, at = 0; block < count; block += 1) {
    const end = at + short + (block >= longFrom ? 1 : 0);
    blocks.push(stream.subarray(at, end));
    at = end;
  }
  const corrections = blocks.map((block) => remainder(block, divisor));
  const deal = (rows: readonly ArrayLike<number>[], length: number): number[] =>
    Array.from({ length }, (_, at) => rows.flatMap((row) => (at < row.length ? [row[at]!] : []))).flat();
  return [...deal(blocks, short + 1), ...deal(corrections, divisor.length)];
};

/** -1 is a module that no function pattern has taken. */
type Grid = Int8Array[];

const functionPatterns = (version: number): Grid => {
  const size = version * 4 + 17;
  const grid = Array.from({ length: size }, () => new Int8Array(size).fill(-1));
  const set = (x: number, y: number, dark: boolean): void => {
    const row = grid[y];
    if (row && x >= 0 && x < size) row[x] = dark ? 1 : 0;
  };
  const ring = (x: number, y: number, radius: number, dark: (distance: number) => boolean): void => {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) set(x + dx, y + dy, dark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (let at = 8; at < size - 8; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  const centres = alignmentCentres(version);
  const last = size - 7;
  for (const y of centres) {
    for (const x of centres) {
      const onFinder = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!onFinder) ring(x, y, 2, (distance) => distance !== 1);
    }
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    ring(x, y, 4, (distance) => distance !== 2 && distance !== 4);
  if (version >= 7) {
    let rest = version;
    for (let each = 0; each < 12; each += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let at = 0; at < 18; at += 1) {
      const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
      set(far, near, ((bits >> at) & 1) === 1);
      set(near, far, ((bits >> at) & 1) === 1);
    }
  }
  writeFormat(grid, 0);
  return grid;
};

/** Level and mask, twice (ISO/IEC 18004, 7.9), and the module that is always dark. */
const writeFormat = (grid: Grid, data: number): void => {
  const size = grid.length;
  let rest = data;
  for (let each = 0; each < 10; each += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  for (let at = 0; at < 15; at += 1) {
    const bit = (bits >> at) & 1;
    const along = at < 6 ? at : at < 8 ? at + 1 : 14 - at;
    if (at < 8) grid[along]![8] = bit;
    else grid[8]![at === 8 ? 7 : along] = bit;
    if (at < 8) grid[8]![size - 1 - at] = bit;
    else grid[size - 15 + at]![8] = bit;
  }
  grid[size - 8]![8] = 1;
};

/** Two columns at a time from the right, up and down in turn, past the timing column. */
const place = (patterns: Grid, stream: readonly number[]): Grid => {
  const size = patterns.length;
  const grid = patterns.map((row) => row.slice());
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const upward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (patterns[y]![x] !== -1) continue;
        const bit = at < stream.length * 8 ? (stream[at >> 3]! >> (7 - (at & 7))) & 1 : 0;
        grid[y]![x] = bit ^ ((x + y + 1) & 1);
        at += 1;
      }
    }
  }
  return grid;
};

/** Rows of modules, '1' is dark; undefined when the data does not fit the largest symbol. */
export const encodeQr = (data: Uint8Array, level: Level): readonly string[] | undefined => {
  let version = 1;
  const needed = (): number => Math.ceil((4 + (version < 10 ? 8 : 16) + data.length * 8) / 8);
  while (version <= 40 && needed() > dataCodewords(version, level)) version += 1;
  if (version > 40) return undefined;
  const stream = interleaved(dataStream(data, version, dataCodewords(version, level)), version, level);
  const grid = place(functionPatterns(version), stream);
  writeFormat(grid, LEVEL_BITS[level] << 3);
  return grid.map((row) => row.join(''));
};
