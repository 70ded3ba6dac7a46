/** Image commands: GS v 0 and ESC * (Epson TM-T88III manual), GS ( L and GS 8 L (TM-T20III manual). */

import type { StoredGraphics } from '../state/memory.ts';
import { columnsToRows, scaleOf } from './columns.ts';
import {
  type CommandEntry,
  ESC,
  GS,
  type Mechanism,
  u16,
  u32,
  type VirtualCommand,
  withoutFunction,
} from './command.ts';
import { storedGraphics } from './logos.ts';

/** GS v 0 m xL xH yL yH: x bytes a row, y rows; m doubles width (bit 0) and height (bit 1). */
const RASTER: VirtualCommand = {
  size: (head) => {
    if (head.length > 2 && head[2] !== 0x30) return withoutFunction(head);
    if (head.length < 4) return 4;
    return head[3]! <= 3 || (head[3]! >= 0x30 && head[3]! <= 0x33) ? 8 : 4;
  },
  payload: (head) => (head.length === 8 ? u16(head, 4) * u16(head, 6) : 0),
  piece: (on, head, offset, bytes) => {
    if (offset === 0) on.flushLine();
    const shape = { rowBytes: u16(head, 4), ...scaleOf(head[3]!) };
    on.paper?.raster(shape, offset, bytes, on.modes);
  },
};

const DENSITIES: readonly number[] = [0, 1, 32, 33];

/** ESC * m nL nH: n columns of 8 dots (m 0, 1) or 24 dots (m 32, 33), put into the line like a character. */
const bitImage: VirtualCommand = {
  // Behind another m, nL and nH are text (TM-T88III manual).
  size: (head) => (head.length < 3 || DENSITIES.includes(head[2]!) ? 5 : 3),
  payload: (head) => (head.length < 5 ? 0 : u16(head, 3) * (head[2]! >= 32 ? 3 : 1)),
  run: (on, head, payload) => {
    const width = u16(head, 3);
    if (payload.length === 0) return false;
    on.lineStarted();
    if (!on.paper) return true;
    const height = head[2]! >= 32 ? 24 : 8;
    const rows = columnsToRows(payload, width, height);
    on.paper.image({ width, height, scaleX: head[2]! & 1 ? 1 : 2, scaleY: height === 8 ? 3 : 1, rows, sent: payload });
    return true;
  },
};

/** GS Q 0 m xL xH yL yH: columns of y bytes, x of them; m doubles as with GS v 0 (TM-T88VI manual). */
const COLUMNS: VirtualCommand = {
  size: (head) => (head.length < 3 || head[2] === 0x30 ? 8 : withoutFunction(head)),
  payload: (head) => (head.length === 8 ? u16(head, 4) * u16(head, 6) : 0),
  run: (on, head, payload) => {
    const [width, height] = [u16(head, 4), u16(head, 6) * 8];
    if (payload.length === 0) return false;
    on.flushLine();
    on.paper?.graphics(
      [{ ...scaleOf(head[3]!), width, height, rows: columnsToRows(payload, width, height) }],
      on.modes,
    );
    return true;
  },
};

/** What functions 112 and 113 have from their width on: rows or columns. */
const dotsOf = (
  payload: Uint8Array,
  inColumns: boolean,
): Pick<StoredGraphics, 'width' | 'height' | 'rows'> | undefined => {
  if (payload.length < 10) return undefined;
  const [width, height] = [u16(payload, 6), u16(payload, 8)];
  const data = payload.subarray(10);
  const needed = inColumns ? width * Math.ceil(height / 8) : Math.ceil(width / 8) * height;
  if (data.length < needed || needed === 0) return undefined;
  return { width, height, rows: inColumns ? columnsToRows(data, width, height) : data.slice(0, needed) };
};

/** The colour of GS ( L, 49 to 52. */
const colourOf = (c: number): number | undefined => (c >= 49 && c <= 52 ? c - 48 : undefined);

/**
 * GS ( L, GS 8 L: functions 112 and 113 store graphics of one colour, rows or columns, beside those of the others;
 * 2 and 50 print what is stored.
 */
const graphics = (on: Mechanism, payload: Uint8Array): unknown => {
  const fn = payload[1];
  if (fn === 112 || fn === 113) {
    const colour = colourOf(payload[5]!);
    const stored = dotsOf(payload, fn === 113);
    if (!stored || colour === undefined) return false;
    const others = on.modes.graphics.filter((each) => each.colour !== colour);
    const scaled = { ...stored, scaleX: payload[3] === 2 ? 2 : 1, scaleY: payload[4] === 2 ? 2 : 1, colour };
    on.modes.graphics = [...others, scaled];
  } else if (fn === 2 || fn === 50) {
    if (on.modes.graphics.length === 0) return true;
    on.flushLine();
    on.paper?.graphics(on.modes.graphics, on.modes);
    on.modes.graphics = [];
  } else return storedGraphics(on, payload);
  return true;
};

/** GS ( L and GS 8 L with their payload. */
export const graphicsCommand: NonNullable<VirtualCommand['run']> = (on, _head, payload) => graphics(on, payload);

export const images: readonly CommandEntry[] = [
  [ESC, '*', bitImage],
  [GS, 'v', RASTER],
  [GS, 'Q', COLUMNS],
  [
    GS,
    '8',
    {
      size: (head) => (head.length < 3 || head[2] === 0x4c ? 7 : withoutFunction(head)),
      payload: (head) => (head.length === 7 ? u32(head, 3) : 0),
      run: graphicsCommand,
    },
  ],
];
