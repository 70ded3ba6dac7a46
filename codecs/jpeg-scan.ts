/** One scan of a JPEG: the coefficients of its blocks (ITU-T T.81, annex F for sequential, G for progressive coding). */

import { type HuffmanTable, JpegBits } from './jpeg-bits.ts';
import { PictureError, type PictureSteps } from './picture.ts';

/** By the place in the zigzag, the place in rows of eight (figure A.6). */
export const ZIGZAG = zigzag();

function zigzag(): Uint8Array {
  const order = Uint8Array.from({ length: 64 }, (_, index) => index);
  // Along one diagonal after the other: up where their number is even, else down.
  return order.sort((a, b) => {
    const [diagonalA, diagonalB] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
    return diagonalA - diagonalB || (diagonalA % 2 === 0 ? b - a : a - b);
  });
}

export interface Component {
  readonly id: number;
  /** Blocks in a unit of an interleaved scan. */
  readonly across: number;
  readonly down: number;
  /** Number of its table. */
  readonly quantization: number;
  /** Prediction of the constant term, from block to block. */
  prediction: number;
  /** A scan had it. */
  isSeen: boolean;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  /** The first one is the luma. */
  readonly components: readonly Component[];
  /** Units of an interleaved scan. */
  readonly mcusAcross: number;
  readonly mcusDown: number;
  /** Blocks of the luma, with those that fill up the last unit. */
  readonly blocksAcross: number;
  /** Coefficients of the luma, 64 a block. */
  readonly coefficients: Int16Array;
}

interface Tables {
  readonly dc: readonly (HuffmanTable | undefined)[];
  readonly ac: readonly (HuffmanTable | undefined)[];
}

const corrupted = () => new PictureError('corrupted', 'JPEG: its data is damaged');
const NO_TABLE: HuffmanTable = new Uint16Array(1 << 16);

/** Units of an interleaved scan, or blocks, that are decoded at a step. */
const STEP_UNITS = 256;

/** Decodes the scan of this header (B.2.3), whose data begins at `at`; returns where it ends. Throws a PictureError. */
export function* scanned(
  bytes: Uint8Array,
  at: number,
  header: Uint8Array,
  frame: Frame,
  tables: Tables,
  restartInterval: number,
): PictureSteps<number> {
  const [count = 0] = header;
  if (count < 1 || count > frame.components.length || header.length < 4 + 2 * count) throw corrupted();
  const parts = Array.from({ length: count }, (_, index) => {
    const component = frame.components.find(({ id }) => id === header[1 + 2 * index]);
    const numbers = header[2 + 2 * index]!;
    if (component === undefined) throw corrupted();
    return { component, dc: tables.dc[numbers >> 4] ?? NO_TABLE, ac: tables.ac[numbers & 15] ?? NO_TABLE };
  });
  const [first, last, approximation] = header.subarray(1 + 2 * count) as unknown as [number, number, number];
  const bits = new JpegBits(bytes, at);
  const [luma] = frame.components;
  const [only] = parts as [(typeof parts)[0]];
  // A scan of colours alone says nothing of the shades.
  if (count === 1 && only.component !== luma) return bits.end();
  if (frame.progressive && (last > 63 || first > last || (first > 0 && count > 1))) throw corrupted();
  const { coefficients, blocksAcross } = frame;
  const decode = blockDecoder(bits, frame.progressive, first, last, approximation >> 4, approximation & 15);
  const elsewhere = new Int16Array(64);
  const [across, down] =
    count === 1 ? [Math.ceil(frame.width / 8), Math.ceil(frame.height / 8)] : [frame.mcusAcross, frame.mcusDown];
  for (let unit = 0; unit < across * down; unit += 1) {
    if (unit % STEP_UNITS === 0) yield;
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      bits.restart();
      decode.restart();
      for (const { component } of parts) component.prediction = 0;
    }
    const [x, y] = [unit % across, Math.floor(unit / across)];
    if (count === 1) decode.block(coefficients, 64 * (y * blocksAcross + x), only);
    else
      for (const part of parts) {
        const { component } = part;
        for (let row = y * component.down; row < (y + 1) * component.down; row += 1)
          for (let column = x * component.across; column < (x + 1) * component.across; column += 1)
            if (component === luma) decode.block(coefficients, 64 * (row * blocksAcross + column), part);
            else decode.block(elsewhere, 0, part);
      }
  }
  for (const { component } of parts) {
    component.prediction = 0;
    component.isSeen = true;
  }
  return bits.end();
}

interface Part {
  readonly component: Component;
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
}

/** Decodes the blocks of a scan: coefficients `first` to `last`, their bits above `low`; `high` bits are known already. */
function blockDecoder(bits: JpegBits, progressive: boolean, first: number, last: number, high: number, low: number) {
  /** Blocks that have nothing more in this band. */
  let empty = 0;

  /** F.2.2.1; progressive G.1.2.1. */
  const constant = (block: Int16Array, at: number, { component, dc }: Part, shift: number) => {
    component.prediction += bits.signed(Math.min(16, bits.code(dc)));
    block[at] = component.prediction << shift;
  };

  /** F.2.2.2; progressive G.1.2.2. */
  const others = (block: Int16Array, at: number, ac: HuffmanTable, from: number, to: number, shift: number) => {
    if (empty > 0) {
      empty -= 1;
      return;
    }
    for (let index = from; index <= to; index += 1) {
      const code = bits.code(ac);
      const [run, length] = [code >> 4, code & 15];
      if (length === 0 && run < 15) {
        empty = run === 0 ? 0 : (1 << run) + bits.take(run) - 1;
        return;
      }
      index += run;
      if (index > to) throw corrupted();
      if (length > 0) block[at + ZIGZAG[index]!] = bits.signed(length) << shift;
    }
  };

  /** One more bit of those that are not zero, and new ones between them (G.1.2.3). */
  const refined = (block: Int16Array, at: number, ac: HuffmanTable) => {
    const step = 1 << low;
    const correct = (place: number) => {
      const value = block[place]!;
      if (bits.take(1) === 1 && (value & step) === 0) block[place] = value < 0 ? value - step : value + step;
    };
    let index = first;
    for (; empty === 0 && index <= last; index += 1) {
      const code = bits.code(ac);
      let run = code >> 4;
      if ((code & 15) === 0 && run < 15) {
        empty = (1 << run) + bits.take(run);
        break;
      }
      const value = (code & 15) === 0 ? 0 : bits.take(1) === 1 ? step : -step;
      for (; index <= last; index += 1) {
        const place = at + ZIGZAG[index]!;
        if (block[place] !== 0) correct(place);
        else if (run > 0) run -= 1;
        else {
          block[place] = value;
          break;
        }
      }
    }
    if (empty === 0) return;
    for (; index <= last; index += 1) {
      const place = at + ZIGZAG[index]!;
      if (block[place] !== 0) correct(place);
    }
    empty -= 1;
  };

  const block = (to: Int16Array, at: number, part: Part) => {
    if (!progressive) {
      constant(to, at, part, 0);
      others(to, at, part.ac, 1, 63, 0);
    } else if (first === 0) {
      if (high === 0) constant(to, at, part, low);
      else if (bits.take(1) === 1) to[at]! |= 1 << low;
    } else if (high === 0) others(to, at, part.ac, first, last, low);
    else refined(to, at, part.ac);
  };
  return {
    block,
    restart: () => {
      empty = 0;
    },
  };
}
