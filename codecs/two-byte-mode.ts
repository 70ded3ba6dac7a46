/** The mode of a printer in which two bytes are one character: how it begins and ends. */
import type { Make } from './code-pages.ts';
import type { TwoByteFont } from './two-byte.ts';

const FS = 0x1c;

/**
 * Makes that read two bytes from 81 to FE as one Chinese character until they receive FS . (cancel Kanji mode). Others do
 * not get the command, because some print its full stop.
 */
const STARTS_IN_IT: ReadonlySet<Make> = new Set(['xprinter', 'pos-5890', 'pos-8360', 'mpt']);

/** True of a make that begins in this mode. */
export const startsInTwoByteMode = (make: Make): boolean => STARTS_IN_IT.has(make);

/**
 * Commands of the two-byte font (Epson TM-T88III specification rev. B, 6.4 "Kanji Control Commands"; TM-P60 specification,
 * page 107; Citizen command reference, FS C; HCC POS80B technical manual, FS .): FS & begins and FS . ends the mode in which
 * two bytes are one character. Printers for China, Taiwan and Korea are switched on in this mode, Japanese ones are not. In
 * Japan FS C selects Shift_JIS (1) or JIS (0), and while Shift_JIS is selected its first bytes are no letters of a code page.
 */
const MODE = { begin: Uint8Array.of(FS, 0x26), end: Uint8Array.of(FS, 0x2e) } as const;
const SHIFT_JIS = { begin: Uint8Array.of(FS, 0x43, 1, FS, 0x26), end: Uint8Array.of(FS, 0x2e, FS, 0x43, 0) } as const;

/** Begins and ends the mode of a font. */
export const twoByteMode = (font: TwoByteFont): typeof MODE => (font === 'shift_jis' ? SHIFT_JIS : MODE);
