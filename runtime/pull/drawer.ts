/** Whether bytes for a printer may open the drawer, on any printer. */

import { EscposStream } from '../../codecs/escpos-stream.ts';
import { realtimeCommandAt } from '../../codecs/raster.ts';

const ESC = 0x1b;
const P = 0x70;

/**
 * True where bytes have a command that opens the drawer on some printer. Printers differ on where payloads end, so ESC p and DLE DC4 count
 * in any place, BEL and macros where the filter of port 9100 finds them.
 */
export function mayOpenDrawer(bytes: Uint8Array): boolean {
  if (realtimeCommandAt(bytes) >= 0) return true;
  for (let at = bytes.indexOf(ESC); at >= 0; at = bytes.indexOf(ESC, at + 1)) if (bytes[at + 1] === P) return true;
  let opens = false;
  const sink = {
    ...{ forward: () => {}, defineMacro: () => {}, runMacro: () => {}, status: () => {}, cut: () => {} },
    dropped: (what: string) => {
      opens ||= what === 'pulse';
    },
  };
  const stream = new EscposStream({ realtimePulseDisable: false, pulseOnBel: true });
  stream.push(bytes.slice(), sink);
  stream.end(sink);
  return opens;
}
