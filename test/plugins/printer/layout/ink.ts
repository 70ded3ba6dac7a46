/**
 * Where the ink of a job is, read from its bytes alone: a character has its whole cell. It imports nothing of the code that
 * writes them, and knows no more commands than that code may send.
 */
export interface Ink {
  /** The first dot, and the one behind the last one. */
  readonly left: number;
  readonly right: number;
}

/** Dots of a symbol across, by its symbology (`qr`, or m of GS k) and data. */
export type SymbolWidth = (symbology: 'qr' | 'pdf417' | number, data: Uint8Array, module: number) => number;

export interface HeadOf {
  readonly dots: number;
  readonly columns: number;
}

/** Each printed row that has ink, from the top; rows of one raster are one. */
export function inkOf(bytes: Uint8Array, { dots, columns }: HeadOf, symbolWidth: SymbolWidth): Ink[] {
  const found: Ink[] = [];
  const reset = {
    ...{ align: 0, cell: Math.max(12, Math.floor(dots / columns)), times: 1, margin: 0, area: dots },
    ...{ underline: false, invert: false, module: 3, size: 3, stored: new Uint8Array() },
  };
  let modes = { ...reset };
  let x = 0;
  let ink: Ink | undefined;
  const u16 = (at: number) => bytes[at]! + 256 * bytes[at + 1]!;
  const put = (left: number, right: number) => {
    ink = { left: Math.min(ink?.left ?? left, left), right: Math.max(ink?.right ?? right, right) };
  };
  /** Puts what is `width` dots wide on paper; ink beyond the area would be cut off or go on in the next row. */
  const print = (width: number, at: Ink) => {
    const free = Math.min(modes.area, dots - modes.margin) - width;
    if (free < 0) throw new RangeError(`${width} dots in an area of ${modes.area}`);
    const from = modes.margin + [0, Math.floor(free / 2), free][modes.align]!;
    found.push({ left: from + at.left, right: from + at.right });
  };
  const endLine = () => {
    if (ink !== undefined) print(x, ink);
    [x, ink] = [0, undefined];
  };
  for (let at = 0; at < bytes.length; ) {
    const [lead, second = 0, n = 0] = bytes.subarray(at);
    if (lead === 0x0a) {
      endLine();
      at += 1;
    } else if (lead! >= 0x20) {
      const width = modes.cell * modes.times;
      // A box-drawing rule is as wide as its line: it may reach the edge, and a printer goes on below only behind it.
      if (x + width > modes.area) endLine();
      if (lead !== 0x20 || modes.underline || modes.invert) put(x, x + width);
      x += width;
      at += 1;
    } else if (lead === 0x1b && second === 0x2a) {
      const count = u16(at + 3);
      for (let column = 0; column < count; column += 1) {
        const from = at + 5 + 3 * column;
        if (bytes[from] || bytes[from + 1] || bytes[from + 2]) put(x + column, x + column + 1);
      }
      x += count;
      at += 5 + 3 * count;
    } else if (lead === 0x1b) {
      const name = String.fromCharCode(second);
      if (name === '@') modes = { ...reset };
      else if (name === 'a') modes.align = n;
      else if (name === 'M') modes.cell = n === 1 ? 9 : reset.cell;
      else if (name === '-') modes.underline = n > 0;
      else if (name === '$') x = u16(at + 2);
      else if (!'RtEdG'.includes(name)) throw new Error(`ESC ${name}`);
      at += name === '@' ? 2 : name === '$' ? 4 : 3;
    } else if (lead === 0x1d) {
      const name = String.fromCharCode(second);
      if (name === 'v') {
        const [rowBytes, rows] = [u16(at + 4), u16(at + 6)];
        const data = bytes.subarray(at + 8, at + 8 + rowBytes * rows);
        const black: number[] = [];
        for (const [index, byte] of data.entries())
          for (let bit = 0; bit < 8; bit += 1) if (byte & (0x80 >> bit)) black.push(8 * (index % rowBytes) + bit);
        const [left, right] = black.reduce(([a, b], dot) => [Math.min(a, dot), Math.max(b, dot + 1)], [Infinity, 0]);
        // What pads the last byte may lie behind the edge of the area, where nothing is printed.
        if (black.length > 0) print(Math.min(8 * rowBytes, Math.max(modes.area, right)), { left, right });
        at += 8 + data.length;
      } else if (name === 'k') {
        const data = bytes.subarray(at + 4, at + 4 + bytes[at + 3]!);
        const width = symbolWidth(n, data, modes.module);
        print(width, { left: 0, right: width });
        at += 4 + data.length;
      } else if (name === '(') {
        const length = u16(at + 3);
        const [cn, fn, m = 0] = bytes.subarray(at + 5, at + 8);
        if (n !== 0x6b) throw new Error(`GS ( ${n}`);
        if (fn === 0x43) modes.size = m;
        else if (fn === 0x50) modes.stored = bytes.slice(at + 8, at + 5 + length);
        else if (fn === 0x51) {
          const width = symbolWidth(cn === 0x31 ? 'qr' : 'pdf417', modes.stored, modes.size);
          print(width, { left: 0, right: width });
        }
        at += 5 + length;
      } else {
        if (name === 'L') modes.margin = u16(at + 2);
        else if (name === 'W') modes.area = Math.min(u16(at + 2), dots - modes.margin);
        else if (name === '!') modes.times = (n >> 4) + 1;
        else if (name === 'B') modes.invert = n === 1;
        else if (name === 'w') modes.module = n;
        else if (!'hHfV'.includes(name)) throw new Error(`GS ${name}`);
        at += name === 'L' || name === 'W' ? 4 : 3;
      }
    } else throw new Error(`byte ${lead} at ${at}`);
  }
  return found;
}
