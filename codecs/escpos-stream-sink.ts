/** What the filter of port 9100 (escpos-stream.ts) is told of a printer, and what it reports of its stream. */
import type { Boundaries } from './escpos-boundaries.ts';

/** Bytes of a stream between two places where a kick or a status request may stand, if the commands in it allow it. */
export const STRETCH = 4096;

/** What a command that was removed would have done. */
export type Dropped = 'pulse' | 'realtime' | 'settings' | 'oversized';

/** What the filter reports; `push`, `pause` and `end` call it in stream order. */
export interface StreamSink {
  /**
   * Bytes for the printer, in order: views into the chunk, except the few that were held back or inserted. `boundaries`: those within
   * them or at their end, at which a printer is selected and in no setup mode.
   */
  forward(bytes: Uint8Array, boundaries?: Boundaries): void;
  /** A whole macro, GS : to GS :. Only called where every printer agrees on where it begins and ends. */
  defineMacro(bytes: Uint8Array): void;
  /** GS ^ of a macro that this job defined. Any other is dropped. Not to be sent where the macro may contain a pulse. */
  runMacro(bytes: Uint8Array): void;
  /** DLE EOT n (1 to 4), found between commands. */
  status(n: number): void;
  /**
   * A command was removed. `pulse`: ESC p, DLE DC4 1, BEL, GS ^; `realtime`: others, or a GS ( D that enables them; `settings`:
   * one that changes the printer for good; `oversized`: one with a payload of more than `MAX_PAYLOAD`.
   */
  dropped(what: Dropped): void;
  /** A command that cuts the paper. */
  cut(): void;
  /** Another command may stand here: the printer expects no more of what was forwarded. See `stretch`, and `boundaries` of `forward`. */
  boundary?(): void;
  /** A picture begins behind what was forwarded, and another command may stand before it; told of bytes that are only followed. */
  picture?: (() => void) | undefined;
}

export interface StreamOptions {
  /** The printer knows GS ( D: the filter sends it after each ESC @, which may undo it. */
  readonly realtimePulseDisable: boolean;
  /** The printer opens the drawer on BEL. */
  readonly pulseOnBel: boolean;
  /** Commands that change the printer for good are removed, too. */
  readonly protectSettings?: boolean;
  /** Bytes between two boundaries, at least; by default `STRETCH`. */
  readonly stretch?: number;
  /** Only follow the bytes, which the printer gets unchanged: remove and insert nothing. */
  readonly asSent?: boolean;
}
