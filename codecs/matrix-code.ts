/** Data of QR Code (ISO/IEC 18004) and PDF417 (ISO/IEC 15438): UTF-8, limited to what the largest symbol holds. */
import type { Parsed } from './codec.ts';
import { type ErrorCorrection, type Extent, pdf417Modules, qrBytes } from './symbol-size.ts';

const utf8 = new TextEncoder();

/** The bytes of a QR Code in byte mode; an error where no symbol with this error correction holds them. */
export function qrData(value: string, level: ErrorCorrection): Parsed<Uint8Array> {
  const data = utf8.encode(value);
  const most = qrBytes(level);
  if (data.length === 0 || data.length > most) {
    return { ok: false, reason: `qr of level ${level} takes 1 to ${most} bytes, not ${data.length}` };
  }
  return { ok: true, value: data };
}

/** Error correction level of PDF417 for each level of QR Code; level n has 2 to the power of n + 1 codewords. */
export const PDF417_LEVEL: Readonly<Record<ErrorCorrection, number>> = { l: 1, m: 3, q: 5, h: 7 };

/** The data, and the size of the narrowest symbol for it. */
export interface Pdf417Data {
  readonly bytes: Uint8Array;
  readonly extent: Extent;
}

/** The bytes of a PDF417 with error correction `level` (0 to 8) and its size; an error where no symbol holds them. */
export function pdf417Data(value: string, level: number): Parsed<Pdf417Data> {
  const bytes = utf8.encode(value);
  const extent = pdf417Modules(bytes.length, level);
  if (bytes.length === 0 || extent === undefined)
    return { ok: false, reason: `pdf417 of level ${level} does not hold ${bytes.length} bytes` };
  return { ok: true, value: { bytes, extent } };
}
