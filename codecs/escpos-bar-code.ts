/** What becomes of data that a bar code of GS k cannot hold: they are text, or nothing (Epson TM-T88III manual, GS k). */

/** First m of function B (GS k m n d1...dn); below it stands function A (GS k m d1...dk NUL). */
const FUNCTION_B = 65;

/** A table of which bytes are among these. */
const bytesOf = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters, 'latin1')) table[byte] = 1;
  return table;
};
const isAllOf = (table: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at += 1) if (table[bytes[at]!] === 0) return false;
  return true;
};

interface Data {
  readonly holds: Uint8Array;
  /** Fewest and most bytes of function B; function A takes the most, and what follows those is text. */
  readonly fewest?: number;
  readonly most?: number;
}
const NUMERALS = '0123456789';
const DIGITS = bytesOf(NUMERALS);
const ASCII = new Uint8Array(256).fill(1, 0, 0x80);
/** From UPC-A on, in the order of m. What comes behind Code 128 has only function B, and holds ASCII. */
const DATA: readonly Data[] = [
  { holds: DIGITS, fewest: 11, most: 12 },
  // Later models take six digits, too (TM-T88VI).
  { holds: DIGITS, fewest: 6, most: 12 },
  { holds: DIGITS, fewest: 12, most: 13 },
  { holds: DIGITS, fewest: 7, most: 8 },
  { holds: bytesOf(`${NUMERALS}ABCDEFGHIJKLMNOPQRSTUVWXYZ $%+-./*`) },
  { holds: DIGITS },
  { holds: bytesOf(`${NUMERALS}ABCDabcd$+-./:`) },
];
/** m of Code 128 by the printer, which holds any byte. */
const ANY_BYTE = 79;

/** Whether some of the data of GS k `m`, from one index of these bytes to another, may be printed as text in place of a bar code. */
export function leavesText(m: number, bytes: Uint8Array, from: number, to: number): boolean {
  const length = to - from;
  if (length === 0 || m === ANY_BYTE) return false;
  const isB = m >= FUNCTION_B;
  const known = DATA[isB ? m - FUNCTION_B : m];
  if (known === undefined) return !isB || !isAllOf(ASCII, bytes, from, to);
  const { holds, fewest = 1, most = 255 } = known;
  return !isAllOf(holds, bytes, from, to) || length > most || (isB && length < fewest);
}
