/** The data of QR Code (ISO/IEC 18004) and PDF417 (ISO/IEC 15438): UTF-8, no more than the largest symbol holds. */
import type { Parsed } from './codec.ts';
import { type ErrorCorrection, type Extent, pdf417Modules, qrBytes } from './symbol-size.ts';

const utf8 = new TextEncoder();

export function qrData(value: string, level: ErrorCorrection): Parsed<Uint8Array> {
  const data = utf8.encode(value);
  const most = qrBytes(level);
  if (data.length === 0 || data.length > most) {
    return { ok: false, reason: `qr of level ${level} takes 1 to ${most} bytes, not ${data.length}` };
  }
  return { ok: true, value: data };
}

/** Security level by the word that QR uses: 2 to the power of level + 1 codewords. */
export const PDF417_LEVEL: Readonly<Record<ErrorCorrection, number>> = { l: 1, m: 3, q: 5, h: 7 };

/** The data, and how large the narrowest symbol with it is. */
export interface Pdf417Data {
  readonly bytes: Uint8Array;
  readonly extent: Extent;
}

export function pdf417Data(value: string, level: number): Parsed<Pdf417Data> {
  const bytes = utf8.encode(value);
  const extent = pdf417Modules(bytes.length, level);
  if (bytes.length === 0 || extent === undefined)
    return { ok: false, reason: `pdf417 of level ${level} does not hold ${bytes.length} bytes` };
  return { ok: true, value: { bytes, extent } };
}
