/**
 * The command set of customer displays with ESC/POS: two rows of fixed cells, the codes as in the reference of Epson's
 * DM-D series, written down from memory and not yet compared with a device.
 */
import { defineCodec, type Parsed } from 'tillnode/codec';

export const ROWS = 2;
export const DEFAULT_COLUMNS = 20;
export const DEFAULT_BAUD_RATE = 9600;

/** What `ESC t n` selects, by the names that rows use. */
const CODE_PAGES = { pc437: 0, wpc1252: 16 } as const;

export interface DisplayOptions {
  readonly columns?: number;
  readonly codePage?: keyof typeof CODE_PAGES;
  readonly baudRate?: number;
}

export const poleDisplay = defineCodec({
  name: 'pole-display',
  kind: 'display',
  options: {
    columns: { type: 'integer', description: 'Cells in a row; 20 if left out', minimum: 8, maximum: 40 },
    codePage: {
      type: 'string',
      description: 'Code page to write in: pc437 (ASCII alone is used of it) or wpc1252; wpc1252 if left out',
      enum: Object.keys(CODE_PAGES),
    },
    baudRate: {
      type: 'integer',
      description: 'Bits a second of the line behind the USB port, for displays that have one; 9600 if left out',
      minimum: 300,
      maximum: 115_200,
    },
  },
});

const ESC = 0x1b;
const US = 0x1f;
const CLEAR = 0x0c;
const EURO = 0x80;
const UNKNOWN = '?'.charCodeAt(0);

/** 1 (20 %) to 4 (100 %). */
export type Brightness = 1 | 2 | 3 | 4;

/** `ESC @` initialise, `ESC t n` code page, `US C 0` no cursor. */
export const initialise = ({ codePage = 'wpc1252' }: DisplayOptions): Uint8Array =>
  Uint8Array.of(ESC, 0x40, ESC, 0x74, CODE_PAGES[codePage], US, 0x43, 0);

/** `US X n` brightness; `US E n` blinking, where n counts half periods of 50 ms and 0 is steady. */
export const appearance = (brightness: Brightness, blink: boolean): Uint8Array =>
  Uint8Array.of(US, 0x58, brightness, US, 0x45, blink ? 10 : 0);

/** `CLR`, then each line at the beginning of its row (`US $ column row`, both from 1). Refuses what does not fit. */
export function showLines(
  lines: readonly string[],
  { columns = DEFAULT_COLUMNS, codePage = 'wpc1252' }: DisplayOptions,
): Parsed<Uint8Array> {
  const bytes: number[] = [CLEAR];
  if (lines.length > ROWS) return { ok: false, reason: `${lines.length} lines, and the display has ${ROWS} rows` };
  for (const [index, line] of lines.entries()) {
    const characters = [...line];
    if (characters.length > columns)
      return { ok: false, reason: `line ${index + 1} has ${characters.length} characters, and a row ${columns} cells` };
    bytes.push(US, 0x24, 1, index + 1, ...characters.map((character) => byteOf(character, codePage)));
  }
  return { ok: true, value: Uint8Array.from(bytes) };
}

/** Windows 1252 is Latin-1 from A0 on, with the euro sign at 80. */
function byteOf(character: string, codePage: keyof typeof CODE_PAGES): number {
  const code = character.codePointAt(0) ?? UNKNOWN;
  if (code >= 0x20 && code < 0x7f) return code;
  if (codePage === 'pc437') return UNKNOWN;
  if (character === '€') return EURO;
  return code >= 0xa0 && code <= 0xff ? code : UNKNOWN;
}
