/** What the filter of port 9100 has to know of a command before it is sent, and which ones change a printer for good (`raw.protect`). */
import type { EscposCommand } from './escpos-command-lengths.ts';
import { SETUP_BYTES } from './escpos-mode.ts';
import type { StreamOptions } from './escpos-stream-sink.ts';
import type { Token } from './escpos-tokenizer.ts';

/** m and fn of GS ( L. */
const GRAPHICS_BYTES = 2;
/** fn and m of FS ( C. */
const ENCODING_BYTES = 2;

/** All data of a bar code: their number is one byte. */
const BARCODE_BYTES = 255;

/**
 * Bytes of its payload that say what a command does to the printer: of GS ( E and FS ( C for `followCommand`, of graphics for `isLasting`,
 * of a bar code whether it can hold them.
 */
function tellingBytes({ role }: EscposCommand, { asSent, protectSettings }: StreamOptions): number {
  // What is sent anyway is not waited for: the rest of it is missing where it does not come.
  if (role === 'barcode') return asSent === true ? 0 : BARCODE_BYTES;
  if (role === 'setup') return SETUP_BYTES;
  if (role === 'encoding') return ENCODING_BYTES;
  return protectSettings === true && role === 'graphics' ? GRAPHICS_BYTES : 0;
}

/** True where what the command at `at` does stands in its payload, matters here, and has not come. */
export function hidesFunction(token: Token, b: Uint8Array, at: number, options: StreamOptions): boolean {
  const needed = tellingBytes(token.command, options);
  return needed > 0 && b.length < at + token.length + Math.min(token.payload, needed);
}

/** True where it changes the printer for good, and is to be removed. `payload`: where it begins in `b`, of which `tellingBytes` are there. */
export function isLasting(
  { role }: EscposCommand,
  b: Uint8Array,
  payload: number,
  { protectSettings }: StreamOptions,
): boolean {
  if (protectSettings !== true) return false;
  if (role !== 'graphics') return role === 'settings' || role === 'setup';
  // GS ( L, m = 48, fn = 65 (all) and 66 (one): deletes stored graphics.
  const [m, fn] = [b[payload], b[payload + 1]];
  return m === 48 && (fn === 65 || fn === 66);
}
