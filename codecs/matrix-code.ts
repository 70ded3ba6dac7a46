/** What QR Code (ISO/IEC 18004, table 7) and PDF417 (ISO/IEC 15438) can hold; data is UTF-8. */
import type { Parsed } from './codec.ts';

const utf8 = new TextEncoder();

export type ErrorCorrection = 'l' | 'm' | 'q' | 'h';

interface Capacity {
  readonly digits: number;
  readonly alphanumeric: number;
  readonly bytes: number;
}

/** Version 40, by level. */
const QR_CAPACITY: Readonly<Record<ErrorCorrection, Capacity>> = {
  l: { digits: 7089, alphanumeric: 4296, bytes: 2953 },
  m: { digits: 5596, alphanumeric: 3391, bytes: 2331 },
  q: { digits: 3993, alphanumeric: 2420, bytes: 1663 },
  h: { digits: 3057, alphanumeric: 1852, bytes: 1273 },
};

export function qrData(value: string, level: ErrorCorrection): Parsed<Uint8Array> {
  const data = utf8.encode(value);
  const capacity = QR_CAPACITY[level];
  const most = /^\d+$/.test(value)
    ? capacity.digits
    : /^[0-9A-Z $%*+\-./:]+$/.test(value)
      ? capacity.alphanumeric
      : capacity.bytes;
  if (data.length === 0 || data.length > most) {
    return { ok: false, reason: `qr of level ${level} takes 1 to ${most} bytes of such data, not ${data.length}` };
  }
  return { ok: true, value: data };
}

/** Security level by the word that QR uses: 2 to the power of level + 1 codewords. */
export const PDF417_LEVEL: Readonly<Record<ErrorCorrection, number>> = { l: 1, m: 3, q: 5, h: 7 };
const PDF417_CODEWORDS = 928;
/** Shorter runs of digits stay in text compaction. */
const NUMERIC_RUN = /\d{13,}/g;

/** Codewords of a text: 15 for 44 digits, one for two characters of text, five for six other bytes, and the latches. */
function pdf417Codewords(value: string): number {
  let codewords = 0;
  const rest = value.replace(NUMERIC_RUN, (run) => {
    codewords += 1 + Math.ceil((run.length * 15) / 44);
    return '';
  });
  const notText = rest.replace(/[\t\n\r -~]/g, '');
  const text = rest.length - notText.length;
  const other = utf8.encode(notText).length;
  return codewords + Math.ceil(text / 2) + (other > 0 ? 1 + Math.ceil((other * 5) / 6) : 0);
}

export function pdf417Data(value: string, level: number): Parsed<Uint8Array> {
  const most = PDF417_CODEWORDS - 1 - 2 ** (level + 1);
  const needed = pdf417Codewords(value);
  if (needed === 0 || needed > most) {
    return { ok: false, reason: `pdf417 of level ${level} takes ${most} codewords, this needs ${needed}` };
  }
  return { ok: true, value: utf8.encode(value) };
}
