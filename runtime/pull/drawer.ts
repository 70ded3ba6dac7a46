/** Whether raw bytes for a printer may open the drawer, on any printer: alone, or with what comes before and after them. */

import { EscposStream } from '../../codecs/escpos-stream.ts';
import { Trail } from '../../codecs/escpos-trail.ts';
import { realtimeCommandAt } from '../../codecs/raster.ts';

/** ESC p opens the drawer; GS : and GS ^ record a macro and run it. */
const PULSE = Buffer.of(0x1b, 0x70);
const MACROS = [Buffer.of(0x1d, 0x3a), Buffer.of(0x1d, 0x5e)];
/** More than any printer may still take for part of the last command: the rest of a character, of what nobody knows, or of DLE DC4. */
const NULS = new Uint8Array(8);

/** Raw bytes of a server that may not open the drawer: as they are sent, or why they are not. */
export type Shut = { readonly bytes: Uint8Array } | { readonly fault: string };

export const NOT_ALLOWED = 'the drawer is not allowed to this server (--allow-drawer)';
const OPENS = { fault: NOT_ALLOWED };
const LEFT_OPEN = {
  fault: 'leaves open a command or a mode that other bytes end, which could open the drawer; that needs --allow-drawer',
};

/**
 * Bytes that open no drawer, whatever bytes of this server stand before and behind them, in this job or another: each piece is whole,
 * and ends with NULs where a printer may expect more. Printers differ on where payloads end, so ESC p, DLE DC4 and macros count in any
 * place, and so do the languages that a printer may be switched to; BEL where the filter of port 9100 finds it.
 */
export function keptShut(bytes: Uint8Array): Shut {
  const whole = Buffer.from(bytes);
  if (realtimeCommandAt(bytes) >= 0 || whole.includes(PULSE) || MACROS.some((each) => whole.includes(each)))
    return OPENS;
  const trail = new Trail();
  // A slice of a Buffer is a view.
  const guarded = Uint8Array.from(bytes);
  trail.guard(guarded);
  if (!whole.equals(guarded)) return OPENS;
  let opens = false;
  const sink = {
    ...{ forward: () => {}, defineMacro: () => {}, runMacro: () => {}, status: () => {}, cut: () => {} },
    dropped: (what: string) => {
      opens ||= what === 'pulse';
    },
  };
  const stream = new EscposStream({ realtimePulseDisable: false, pulseOnBel: true });
  stream.push(Uint8Array.from(bytes), sink);
  const isLeftOpen = stream.lacking > 0 || !stream.mayPause;
  const isSettled = stream.isSettled && trail.isClear;
  stream.end(sink);
  if (opens) return OPENS;
  if (isLeftOpen) return LEFT_OPEN;
  return { bytes: isSettled ? bytes : Buffer.concat([bytes, NULS]) };
}
