/** What the filter of port 9100 remembers of a printer, whoever sent it. */
import type { EscposCommand } from './escpos-commands.ts';

/** What a printer keeps in mind from one job to the next. All streams to one printer share it. */
export interface PrinterMode {
  /** ESC = has taken the printer off the line: what follows is for the customer display. */
  deselected: boolean;
  /** Text stands on the line that no LF has printed. */
  textPending: boolean;
  pageMode: boolean;
  /** Nothing with a payload, and nothing unknown, came from a client: every printer has read every command so far. */
  plain: boolean;
  /** Bytes of ASCII text since anything else: near a command, a printer may still wait for a byte of it. */
  sinceCommand: number;
  /** The printer's macro was defined by the job in hand. */
  ownMacro: boolean;
}

export const freshMode = (): PrinterMode => ({
  deselected: false,
  textPending: false,
  pageMode: false,
  plain: true,
  sinceCommand: Number.POSITIVE_INFINITY,
  ownMacro: false,
});

/** A job ended, or was made up for with ESC = 1 and ESC @: the line is empty. */
export const settleMode = (mode: PrinterMode): void => {
  mode.deselected = mode.textPending = mode.pageMode = false;
};

/** What a command changes in a printer that obeys it; `parameter` is its third byte. */
export function followCommand(mode: PrinterMode, { role }: EscposCommand, parameter: number): void {
  if (role === 'peripheral') {
    mode.plain = false;
    mode.deselected = (parameter & 1) === 0;
  }
  if (mode.deselected) return;
  switch (role) {
    case 'bitImage':
      mode.textPending = !mode.pageMode;
      return;
    case 'printLine':
      mode.textPending = false;
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
