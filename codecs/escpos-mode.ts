/** The modes of a printer that the filter of port 9100 has to follow from one job to the next. */
import { LF, type Token } from './escpos-tokenizer.ts';

const HT = 0x09;
const FF = 0x0c;

/** The modes of one printer. All streams to that printer share one object. */
export interface PrinterMode {
  /** The ESC = n that has deselected the printer: it ignores what follows, which is for the customer display. */
  deselectedBy: Uint8Array | undefined;
  /** The line buffer contains text that no LF has printed. */
  textPending: boolean;
  pageMode: boolean;
  /**
   * Clients have sent no command with a payload and no unknown command so far, so every printer agrees with the
   * tokenizer on where each command began.
   */
  plain: boolean;
  /** Bytes of ASCII text since the last command. While few, a printer may still take them as part of that command. */
  sinceCommand: number;
  /** GS ( E function 1 was sent: it prints nothing until function 2 ends its setup mode. */
  setup: boolean;
  /** Function 2 of GS ( E was sent: the printer starts again, and what it gets meanwhile is lost. */
  starts: boolean;
  /** The current job has defined the printer's macro. */
  ownMacro: boolean;
}

/** The modes of a printer after a reset. */
export const freshMode = (): PrinterMode => ({
  deselectedBy: undefined,
  textPending: false,
  pageMode: false,
  plain: true,
  sinceCommand: Number.POSITIVE_INFINITY,
  setup: false,
  starts: false,
  ownMacro: false,
});

/** Sets the modes as they are after a job that ended, or that RECOVERY (ESC = 1, ESC @) followed: the line is empty. */
export const settleMode = (mode: PrinterMode): void => {
  mode.deselectedBy = undefined;
  mode.textPending = mode.pageMode = false;
};

const OUT = Buffer.from('OUT', 'latin1');
/** Bytes of the payload of GS ( E that `followCommand` reads: fn, and the letters of function 2. */
export const SETUP_BYTES = 1 + OUT.length;

/** Changes `mode` as a printer that obeys the command at `at` does. Of GS ( E, `SETUP_BYTES` of its payload have to be there. */
export function followCommand(
  mode: PrinterMode,
  { command: { role }, length }: Token,
  b: Uint8Array,
  at: number,
): void {
  if (role === 'peripheral') {
    mode.plain = false;
    mode.deselectedBy = (b[at + 2]! & 1) === 0 ? b.slice(at, at + length) : undefined;
  }
  if (mode.deselectedBy) return;
  switch (role) {
    case 'bitImage':
      mode.textPending = !mode.pageMode;
      return;
    case 'printLine':
      mode.textPending = false;
      return;
    case 'setup':
      followSetup(mode, b.subarray(at + length, at + length + SETUP_BYTES));
      return;
    case 'pageMode':
      mode.pageMode = true;
      mode.textPending = false;
      return;
    case 'standardMode':
    case 'initialize':
      settleMode(mode);
      return;
  }
}

/**
 * Changes `mode` as a printer does that gets the text from `start` to `end`, in which FF prints a page. True where it prints any
 * of it, or will with the next LF.
 */
export function followText(mode: PrinterMode, b: Uint8Array, start: number, end: number): boolean {
  let line = start;
  if (mode.pageMode) {
    const printed = b.subarray(start, end).indexOf(FF);
    line = printed < 0 ? end : start + printed;
    if (printed >= 0) settleMode(mode);
  }
  if (mode.deselectedBy) return false;
  let last = end - 1;
  while (last >= line && b[last]! < 0x20 && b[last] !== HT && b[last] !== LF) last--;
  if (last >= line) mode.textPending = b[last] !== LF;
  return line < end;
}

/** A GS ( E of this payload (Epson TM-T88III manual, GS ( E functions 1 and 2). */
function followSetup(mode: PrinterMode, [fn, ...letters]: Uint8Array): void {
  if (fn === 1) mode.setup = true;
  else if (fn === 2 && OUT.equals(Uint8Array.from(letters))) {
    mode.starts ||= mode.setup;
    mode.setup = false;
  }
}
