/** What pictures have in common. */

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

/** The m of GS v 0, FS p and GS /: bit 0 doubles the width, bit 1 the height. */
export const scaleOf = (m: number) => ({ scaleX: (m & 1) + 1, scaleY: ((m >> 1) & 1) + 1 });
