/**
 * Stored pictures: those of FS q and GS ( L function 67 stay in the flash memory, those of GS * and function 83 go with ESC @
 * and with the power (Epson TM-T88III and TM-T88VI command manuals).
 */

import type { StoredGraphics } from '../state/memory.ts';
import { type Graphics, holds, withGraphics, without } from '../state/memory.ts';
import { columnsToRows, scaleOf } from './columns.ts';
import {
  atLineStart,
  type CommandEntry,
  FS,
  GS,
  type Mechanism,
  u16,
  u32,
  type VirtualCommand,
  withoutFunction,
} from './command.ts';

/** Columns of y bytes, 8 x of them. */
const picture = (x: number, y: number, columns: Uint8Array): StoredGraphics => ({
  ...{ width: x * 8, height: y * 8, scaleX: 1, scaleY: 1, rows: columnsToRows(columns, x * 8, y * 8) },
});

const print = (
  on: Mechanism,
  stored: readonly StoredGraphics[] | undefined,
  scale: Pick<StoredGraphics, 'scaleX' | 'scaleY'>,
) => {
  if (!stored || stored.length === 0) return false;
  on.flushLine();
  return on.paper?.graphics(
    stored.map((each) => ({ ...each, ...scale })),
    on.modes,
  );
};

/** One picture of FS q: xL xH yL yH and its columns. */
const storedImage: VirtualCommand = {
  size: 4,
  payload: (head) => u16(head, 0) * u16(head, 2) * 8,
  run: (on, head, payload) => {
    if (payload.length === 0) return false;
    const images = [...on.nonVolatile.images, picture(u16(head, 0), u16(head, 2), payload)];
    if (!holds(images)) return false;
    on.nonVolatile = { ...on.nonVolatile, images };
    return true;
  },
};

/** Where a function of GS ( L keeps what it stores: in flash below 80, in RAM from there on. */
interface Store {
  readonly all: Graphics;
  keep(all: Graphics): void;
}
const storeOf = (on: Mechanism, volatile: boolean): Store =>
  volatile
    ? {
        all: on.modes.downloads,
        keep: (all) => {
          on.modes.downloads = all;
        },
      }
    : {
        all: on.nonVolatile.graphics,
        keep: (graphics) => {
          on.nonVolatile = { ...on.nonVolatile, graphics };
        },
      };

const keyOf = (bytes: Uint8Array, at: number): string => String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0);

const keep = ({ all, keep }: Store, key: string, graphics: StoredGraphics): unknown => {
  const next = withGraphics(all, key, graphics);
  if (!next) return false;
  keep(next);
  return true;
};

/**
 * GS ( L functions 65 to 69, and 81 to 85 for those in RAM: delete all, delete one, define by rows, define by columns, print.
 * The others tell of the memory, which is not kept count of.
 */
export const storedGraphics = (on: Mechanism, payload: Uint8Array): unknown => {
  const fn = payload[1] ?? 0;
  const store = storeOf(on, fn >= 80);
  switch (fn >= 80 ? fn - 16 : fn) {
    case 65:
      if (String.fromCharCode(...payload.subarray(2, 5)) !== 'CLR') return false;
      return store.keep(new Map());
    case 66:
      return store.keep(without(store.all, keyOf(payload, 2)));
    case 67:
    case 68:
      return define(store, payload, fn % 16 === 4);
    case 69:
      return print(on, store.all.get(keyOf(payload, 2)), {
        scaleX: payload[4] === 2 ? 2 : 1,
        scaleY: payload[5] === 2 ? 2 : 1,
      });
    default:
      return false;
  }
};

/** m fn a kc1 kc2 b xL xH yL yH, then b times a colour and its dots. */
const define = (store: Store, payload: Uint8Array, inColumns: boolean): unknown => {
  if (payload.length < 10) return false;
  const [width, height] = [u16(payload, 6), u16(payload, 8)];
  const size = inColumns ? width * Math.ceil(height / 8) : Math.ceil(width / 8) * height;
  if (size === 0 || payload.length < 10 + payload[5]! * (1 + size)) return false;
  let all: Graphics | undefined = without(store.all, keyOf(payload, 3));
  for (let n = 0; n < payload[5]!; n += 1) {
    const at = 10 + n * (1 + size);
    const data = payload.subarray(at + 1, at + 1 + size);
    const rows = inColumns ? columnsToRows(data, width, height) : data.slice();
    const colour = payload[at]! - 48;
    all = withGraphics(all, keyOf(payload, 3), { width, height, scaleX: 1, scaleY: 1, rows, colour });
    if (!all) return false;
  }
  return store.keep(all);
};

/** Dots of a Windows bitmap of one bit a pixel (BITMAPINFOHEADER); the darker one of its two colours is ink. */
const bitmapOf = (file: Uint8Array): StoredGraphics | undefined => {
  const [start, width, height, depth, compressed] = [10, 18, 22, 28, 30].map((at) => u32(file, at));
  if (file.length < 62 || u16(file, 28) !== 1 || compressed !== 0 || !start || !width || !height || depth === 0)
    return undefined;
  const upward = height < 0x8000_0000;
  const lines = upward ? height : 0x1_0000_0000 - height;
  const stride = Math.ceil(width / 32) * 4;
  const rowBytes = Math.ceil(width / 8);
  if (file.length < start + stride * lines) return undefined;
  const shade = (at: number): number => file[at]! + file[at + 1]! + file[at + 2]!;
  const flip = shade(54) < shade(58) ? 0xff : 0;
  const rows = new Uint8Array(rowBytes * lines);
  for (let y = 0; y < lines; y += 1) {
    const from = start + stride * (upward ? lines - 1 - y : y);
    for (let at = 0; at < rowBytes; at += 1) rows[y * rowBytes + at] = file[from + at]! ^ flip;
  }
  return { width, height: lines, scaleX: 1, scaleY: 1, rows };
};

export const logos: readonly CommandEntry[] = [
  [
    FS,
    'q',
    {
      size: 3,
      run: (on) => {
        on.nonVolatile = { ...on.nonVolatile, images: [] };
      },
      series: (head) => ({ command: storedImage, left: head[2]! }),
    },
  ],
  [
    FS,
    'p',
    {
      size: 4,
      run: (on, head) => {
        const image = on.nonVolatile.images[head[2]! - 1];
        return print(on, image && [image], scaleOf(head[3]!));
      },
    },
  ],
  [
    GS,
    '*',
    {
      size: 4,
      payload: (head, on) => (on.lineEmpty ? head[2]! * head[3]! * 8 : 0),
      run: (on, head, payload) => {
        if (payload.length === 0) return false;
        on.modes.downloaded = picture(head[2]!, head[3]!, payload);
        return true;
      },
    },
  ],
  [GS, '/', { size: 3, run: (on, head) => print(on, on.modes.downloaded && [on.modes.downloaded], scaleOf(head[2]!)) }],
  // GS D 48 fn 48 kc1 kc2 b c, then a bitmap file, of whose header the first bytes are part of the head here.
  [
    GS,
    'D',
    {
      size: (head) => (head.length < 3 || head[2] === 0x30 ? 15 : withoutFunction(head)),
      payload: (head, on) => (head.length === 15 && atLineStart(on) ? Math.max(0, u32(head, 11) - 6) : 0),
      run: (on, head, payload) => {
        const file = new Uint8Array(6 + payload.length);
        file.set(head.subarray(9, 15));
        file.set(payload, 6);
        const bitmap = payload.length > 0 ? bitmapOf(file) : undefined;
        return bitmap ? keep(storeOf(on, head[3] === 83), keyOf(head, 5), bitmap) : false;
      },
    },
  ],
];
