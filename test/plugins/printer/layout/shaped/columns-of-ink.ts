/** Reads the bytes of a job back into rows of the paper: where there is ink along each, whatever it was printed with. */

export interface InkRow {
  /** Printed text with pictures in it, or one picture. */
  readonly kind: 'printed' | 'picture';
  /** Dots from the left edge of the paper that are black somewhere in the row, ascending. */
  readonly ink: readonly number[];
  /** Rows of dots: 34 or more of a printed line. */
  readonly height: number;
  /** Data of each GS v 0 and ESC *. */
  readonly pictures: readonly Uint8Array[];
  /** Bytes in a row of a picture. */
  readonly rowBytes: number;
}

/** Lengths of commands without data, by their first two bytes; `0x1b 0x2a` and `0x1d 0x76` are read apart. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ '1b40': 2, '1b52': 3, '1b74': 3, '1b61': 3, '1b45': 3, '1b2d': 3, '1b4d': 3, '1b64': 3 },
  ...{ '1d21': 3, '1d42': 3, '1c26': 2, '1c2e': 2, '1c2d': 3, '1c43': 3 },
};

/**
 * Rows of a job on paper of so many dots. A character is a box one dot narrower than its cell on each side. `fontA`: dots of a
 * cell of that font.
 */
export function inkOf(bytes: Uint8Array, paper: number, fontA = 12): InkRow[] {
  const rows: InkRow[] = [];
  let [align, font, times, high, twoByte] = [0, fontA, 1, 1, false];
  let x = 0;
  let ink: number[] = [];
  let pictures: Uint8Array[] = [];
  const box = (width: number, blank: boolean) => {
    for (let at = x + 1; at < x + width - 1 && !blank; at += 1) ink.push(at);
    x += width;
  };
  const start = (width: number) =>
    Math.max(0, align === 2 ? paper - width : align === 1 ? Math.floor((paper - width) / 2) : 0);
  for (let at = 0; at < bytes.length; ) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const name = Buffer.from([first, second]).toString('hex');
    if (first === 0x0a) {
      const moved = ink.map((each) => each + start(x));
      rows.push({ kind: 'printed', ink: moved, height: Math.max(34, 24 * high), pictures, rowBytes: 0 });
      [x, ink, pictures] = [0, [], []];
      at += 1;
    } else if (name === '1b2a') {
      const count = bytes[at + 3]! + 256 * bytes[at + 4]!;
      const data = bytes.slice(at + 5, at + 5 + 3 * count);
      for (let column = 0; column < count; column += 1) {
        if (data.subarray(3 * column, 3 * column + 3).some((byte) => byte !== 0)) ink.push(x + column);
      }
      x += count;
      pictures.push(data);
      at += 5 + data.length;
    } else if (name === '1d76') {
      const rowBytes = bytes[at + 4]! + 256 * bytes[at + 5]!;
      const height = bytes[at + 6]! + 256 * bytes[at + 7]!;
      const data = bytes.slice(at + 8, at + 8 + rowBytes * height);
      const black = Array.from({ length: 8 * rowBytes }, (_, column) => column).filter((column) =>
        Array.from({ length: height }, (_, row) => data[row * rowBytes + (column >> 3)]!).some(
          (byte) => (byte & (0x80 >> (column & 7))) !== 0,
        ),
      );
      const left = start(8 * rowBytes);
      rows.push({ kind: 'picture', ink: black.map((each) => each + left), height, pictures: [data], rowBytes });
      at += 8 + data.length;
    } else if (name in LENGTHS) {
      if (name === '1b61') align = third;
      else if (name === '1b4d') font = third === 1 ? 9 : fontA;
      else if (name === '1d21') [times, high] = [(third >> 4) + 1, (third & 15) + 1];
      else if (name === '1c26' || name === '1c2e') twoByte = name === '1c26';
      at += LENGTHS[name]!;
    } else if (twoByte) {
      box(24 * times, first === 0xa1 && second === 0xa1);
      at += 2;
    } else if (first >= 0x20) {
      box(font * times, first === 0x20);
      at += 1;
    } else throw new Error(`unknown command ${name} at ${at}`);
  }
  return rows;
}
