/** QR Code model 2 in byte mode (ISO/IEC 18004), by the package uqr. */
import { encode } from 'uqr';

/** Bytes that the largest symbol, version 40, holds at each level (ISO/IEC 18004, table 7). */
const MOST_BYTES = { l: 2953, m: 2331, q: 1663, h: 1273 } as const;

/** Rows of modules, '1' is dark; undefined where no symbol holds the data. */
export const encodeQr = (data: Uint8Array, level: keyof typeof MOST_BYTES): readonly string[] | undefined => {
  if (data.length === 0 || data.length > MOST_BYTES[level]) return undefined;
  const ecc = level.toUpperCase() as Uppercase<typeof level>;
  const { data: rows } = encode([...data], { ecc, border: 0 });
  return rows.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''));
};
