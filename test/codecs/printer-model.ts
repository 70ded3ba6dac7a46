/**
 * A receipt printer reduced to one question: how often does its drawer open? Written apart from the filter's own
 * tables, after the manuals; `quirks` are the ways in which real printers differ.
 */
export interface Quirks {
  /** Bar codes and raster images on a line that holds text are text (Epson, Bixolon). */
  readonly emptyLineOnly: boolean;
  /** A parameter out of range is taken as it is, instead of ending the command. */
  readonly lenient: boolean;
  /** No page mode: ESC W is unknown. */
  readonly noPageMode: boolean;
  /** Function A of GS k reads to NUL whatever comes. */
  readonly listToNul: boolean;
  /** A byte from 80 on is half a character, and takes the next byte for its other half, but for LF. */
  readonly twoBytes: boolean;
}

const ONE = '!%-3=?ABCEFGJKMRSTUVadertu{ ';
const GS_ONE = '!/BEHITabfhjrwV|';
const code = (text: string) => new Set(Buffer.from(text));
const ESC_ONE = new Set([...code(ONE)].filter((byte) => !'ABS'.includes(String.fromCharCode(byte))));
const GS_ONES = new Set([...code(GS_ONE)].filter((byte) => byte !== 0x56));

export function pulses(b: Uint8Array, quirks: Quirks): number {
  let count = 0;
  for (let i = 0; i + 2 < b.length; i++) if (b[i] === 0x10 && b[i + 1] === 0x14 && b[i + 2] === 1) count++;
  const u16 = (i: number) => (b[i] ?? 0) + 256 * (b[i + 1] ?? 0);
  let i = 0;
  let text = false;
  let deselected = false;
  const raster = (header: number, size: number, valid: boolean) => {
    if (!valid && !quirks.lenient) return header - 4;
    return quirks.emptyLineOnly && text ? header - 4 : header + size;
  };
  while (i < b.length) {
    const [lead, second = -1, third = -1] = b.subarray(i, i + 3);
    let length = 1;
    if (deselected) {
      if (lead === 0x1b && second === 0x3d && third >= 0) deselected = (third & 1) === 0;
      i++;
      continue;
    }
    if (lead === 0x1b) {
      if (second === 0x70) {
        if (i + 4 < b.length) count++;
        length = 5;
      } else if (second === 0x40) {
        text = false;
        length = 2;
      } else if (second === 0x3d) {
        if (third >= 0) deselected = (third & 1) === 0;
        length = 3;
      } else if (second === 0x2a) {
        const dots24 = third === 0x20 || third === 0x21;
        text = true;
        length = third <= 1 ? 5 + u16(i + 3) : dots24 || quirks.lenient ? 5 + 3 * u16(i + 3) : 2;
      } else if (second === 0x26) {
        const [, , y = 0, from = 0, to = 0, x = 0] = b.subarray(i, i + 6);
        length = y >= 2 && y <= 3 && from >= 0x20 && to <= 0x7e && to >= from && x <= 12 ? 5 : 2;
        if (length === 5) for (let c = from; c <= to; c++) length += 1 + (b[i + length] ?? 0) * y;
      } else if (second === 0x44) {
        let k = i + 2;
        while (k < b.length && b[k] !== 0 && (k === i + 2 || b[k]! > b[k - 1]!)) k++;
        length = k - i + (b[k] === 0 ? 1 : 0);
      } else if (second === 0x57) length = quirks.noPageMode ? 2 : 10;
      else if (second === 0x24 || second === 0x5c || second === 0x63) length = 4;
      else if (second === 0x28) length = 5 + u16(i + 3);
      else if (ESC_ONE.has(second)) {
        if (second === 0x4a || second === 0x64) text = false;
        length = 3;
      } else if ('2<@LSimqv'.includes(String.fromCharCode(second)) && second > 0x20) length = 2;
    } else if (lead === 0x1c) {
      if (second === 0x28) length = 5 + u16(i + 3);
      else if (second === 0x32) length = 4 + 72;
      else if (second === 0x70 || second === 0x3f || second === 0x53) length = 4;
      else if (second === 0x71) {
        length = 3;
        for (let n = third; n > 0 && i + length < b.length; n--)
          length += 4 + 8 * u16(i + length) * u16(i + length + 2);
      } else if (second === 0x67 && third === 0x31) length = 10 + u16(i + 8);
    } else if (lead === 0x1d) {
      if (second === 0x28) length = 5 + u16(i + 3);
      else if (second === 0x38 && third === 0x4c) length = 7 + u16(i + 3) + 65536 * u16(i + 5);
      else if (second === 0x76 && third === 0x30) {
        length = raster(8, u16(i + 4) * u16(i + 6), ((b[i + 3] ?? 0) & ~0x30) <= 3);
      } else if (second === 0x51 && third === 0x30) {
        length = raster(8, u16(i + 4) * u16(i + 6), ((b[i + 3] ?? 0) & ~0x30) <= 3);
      } else if (second === 0x44 && third === 0x30) {
        const bmp = b[i + 9] === 0x42 && b[i + 10] === 0x4d;
        length = !bmp || (quirks.emptyLineOnly && text) ? 3 : 9 + u16(i + 11) + 65536 * u16(i + 13);
      } else if (second === 0x2a) {
        const [x = 0, y = 0] = b.subarray(i + 2, i + 4);
        const size = quirks.emptyLineOnly && text ? -2 : 8 * x * y;
        length = (x > 0 && y > 0 && y <= 48 && x * y <= 1536) || quirks.lenient ? 4 + size : 2;
      } else if (second === 0x6b && third >= 0 && third <= 6) {
        let k = i + 3;
        while (k < b.length && b[k] !== 0 && (quirks.listToNul || (b[k]! >= 0x20 && b[k]! < 0x7f))) k++;
        length = b[k] === 0 ? k - i + 1 : quirks.listToNul ? b.length : 3;
      } else if (second === 0x6b && third >= 0x41 && third <= 0x4f) {
        length = quirks.emptyLineOnly && text ? 3 : 4 + (b[i + 3] ?? 0);
      } else if (second === 0x5e) length = 5;
      else if (second === 0x24 || second === 0x4c || second === 0x50 || second === 0x57 || second === 0x5c) length = 4;
      else if (second === 0x3a || second === 0x63) length = 2;
      else if (second === 0x56) length = third >= 0x41 ? 4 : 3;
      else if (GS_ONES.has(second)) length = 3;
    } else if (lead === 0x10) {
      if (second === 0x04 && third >= 1 && third <= 6) length = 3;
      else if (second === 0x05 && third >= 0 && third <= 3) length = 3;
      else if (second === 0x14 && (third === 3 || third === 7)) length = third === 3 ? 8 : 4;
    } else if (lead === 0x0a) text = false;
    else if (lead! >= 0x20) {
      text = true;
      if (quirks.twoBytes && lead! >= 0x80 && second !== 0x0a) length = 2;
    }
    i += length;
  }
  return count;
}
