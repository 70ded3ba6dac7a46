/** What the filter of port 9100 remembers of a printer, whoever sent it. */

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
