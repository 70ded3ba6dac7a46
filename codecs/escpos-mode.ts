/** The modes of a printer that the filter of port 9100 has to follow from one job to the next. */
import type { EscposCommand } from './escpos-command-lengths.ts';

/** The modes of one printer. All streams to that printer share one object. */
export interface PrinterMode {
  /** ESC = has deselected the printer: it ignores what follows, which is for the customer display. */
  deselected: boolean;
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
  /** GS ( E was sent: it may print nothing until its setup mode is left. */
  setup: boolean;
  /** The current job has defined the printer's macro. */
  ownMacro: boolean;
}

/** The modes of a printer after a reset. */
export const freshMode = (): PrinterMode => ({
  deselected: false,
  textPending: false,
  pageMode: false,
  plain: true,
  sinceCommand: Number.POSITIVE_INFINITY,
  setup: false,
  ownMacro: false,
});

/** Sets the modes as they are after a job that ended, or that RECOVERY (ESC = 1, ESC @) followed: the line is empty. */
export const settleMode = (mode: PrinterMode): void => {
  mode.deselected = mode.textPending = mode.pageMode = false;
};

/** Changes `mode` as a printer that obeys this command does. `parameter`: the third byte of the command. */
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
    case 'setup':
      mode.setup = true;
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
