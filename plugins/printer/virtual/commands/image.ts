/** Image commands: GS v 0 and ESC * (Epson TM-T88III manual), GS ( L and GS 8 L (TM-T20III manual). */

import { type Command, type Mechanism, u16 } from './command.ts';

/** Turns columns of dots (most significant on top) into rows padded to a byte. */
export const columnsToRows = (columns: Uint8Array, width: number, height: number): Uint8Array => {
  const columnBytes = Math.ceil(height / 8);
  const rowBytes = Math.ceil(width / 8);
  const rows = new Uint8Array(rowBytes * height);
  for (let x = 0; x < width; x += 1) {
    for (let y = 0; y < height; y += 1) {
      const dot = columns[x * columnBytes + (y >> 3)]! & (0x80 >> (y & 7));
      if (dot) rows[y * rowBytes + (x >> 3)]! |= 0x80 >> (x & 7);
    }
  }
  return rows;
};

/** GS v 0 m xL xH yL yH: x bytes a row, y rows; m doubles width (bit 0) and height (bit 1). */
export const RASTER: Command = {
  size: (head) => {
    if (head.length < 4) return 4;
    const valid = head[2] === 0x30 && (head[3]! <= 3 || (head[3]! >= 0x30 && head[3]! <= 0x33));
    return valid ? 8 : 4;
  },
  payload: (head) => (head.length === 8 ? u16(head, 4) * u16(head, 6) : 0),
  piece: (on, head, offset, bytes) => {
    if (offset === 0) on.flushLine();
    const shape = { rowBytes: u16(head, 4), scaleX: (head[3]! & 1) + 1, scaleY: ((head[3]! >> 1) & 1) + 1 };
    on.paper?.raster(shape, offset, bytes, on.modes);
  },
};

/** ESC * m nL nH: n columns of 8 dots (m 0, 1) or 24 dots (m 32, 33), put into the line like a character. */
export const bitImage: Command = {
  size: 5,
  payload: (head) => {
    const m = head[2]!;
    return m === 0 || m === 1 ? u16(head, 3) : m === 32 || m === 33 ? u16(head, 3) * 3 : 0;
  },
  run: (on, head, payload) => {
    const width = u16(head, 3);
    if (payload.length === 0) return;
    on.lineStarted();
    if (!on.paper) return;
    const height = head[2]! >= 32 ? 24 : 8;
    const rows = columnsToRows(payload, width, height);
    on.paper.image({ width, height, scaleX: head[2]! & 1 ? 1 : 2, scaleY: height === 8 ? 3 : 1, rows, sent: payload });
  },
};

/** GS ( L, GS 8 L: functions 112 and 113 store graphics, rows or columns; 2 and 50 print what is stored. */
export const graphicsCommand = (on: Mechanism, payload: Uint8Array): void => {
  const fn = payload[1];
  if (fn === 112 || fn === 113) {
    if (payload.length < 10) return;
    const [width, height] = [u16(payload, 6), u16(payload, 8)];
    const data = payload.subarray(10);
    const needed = fn === 112 ? Math.ceil(width / 8) * height : width * Math.ceil(height / 8);
    if (data.length < needed || needed === 0) return;
    const rows = fn === 112 ? data.slice(0, needed) : columnsToRows(data, width, height);
    on.modes.graphics = { width, height, scaleX: payload[3] === 2 ? 2 : 1, scaleY: payload[4] === 2 ? 2 : 1, rows };
  } else if ((fn === 2 || fn === 50) && on.modes.graphics) {
    on.flushLine();
    const { rows, width, ...shape } = on.modes.graphics;
    on.paper?.raster({ ...shape, rowBytes: Math.ceil(width / 8), width }, 0, rows, on.modes);
    on.modes.graphics = undefined;
  }
};
