/** The modes of a printer that the filter of port 9100 has to follow from one job to the next. */

import { SELECT_PRINTER } from './escpos.ts';
import { leavesText } from './escpos-bar-code.ts';
import type { EscposCommand } from './escpos-command-lengths.ts';
import { ESC, GS, LF, type Token } from './escpos-tokenizer.ts';

const HT = 0x09;
const FF = 0x0c;

/** The modes of one printer. All streams to that printer share one object. */
export interface PrinterMode {
  /** The ESC = n that has deselected the printer: it ignores what follows, which is for the customer display. */
  deselectedBy: Uint8Array | undefined;
  /** The line buffer contains text that no LF has printed. */
  textPending: boolean;
  pageMode: boolean;
  /** FS & was sent: two bytes may be one character, whatever they are. */
  pairs: boolean;
  /** FS C 1 was sent: a byte is a character of Shift JIS, or two are. */
  shiftJis: boolean;
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
  /** A macro was begun, defined or ran: the guard of the drawer takes what follows for the end of any command. */
  afterMacro: boolean;
  /** The bytes that port 9100 sent last. It is changed in place. */
  readonly last: Uint8Array;
}

/** More bytes than the guard of the drawer looks back: two real-time commands, one within the other (`Trail`). */
const LAST = 32;

/** The modes of a printer after a reset. */
export const freshMode = (): PrinterMode => ({
  deselectedBy: undefined,
  textPending: false,
  pageMode: false,
  pairs: false,
  shiftJis: false,
  plain: true,
  sinceCommand: Number.POSITIVE_INFINITY,
  setup: false,
  starts: false,
  ownMacro: false,
  afterMacro: false,
  last: new Uint8Array(LAST),
});

/** Sets the modes as they are after a job that ended, or that RECOVERY (ESC = 1, ESC @) followed: the line is empty. */
export const settleMode = (mode: PrinterMode): void => {
  mode.deselectedBy = undefined;
  mode.textPending = mode.pageMode = false;
};

/** The printer obeys what comes next: it is selected, in no setup mode, and does not start again. */
export const isReady = ({ deselectedBy, setup, starts }: PrinterMode): boolean => !(deselectedBy || setup || starts);

/**
 * Whether the printer obeys what comes next, also within text: in page mode an FF in it would end modes. And any byte of ASCII in it ends a
 * character.
 */
export const isReadyOnLine = (mode: PrinterMode): boolean => isReady(mode) && !mode.pageMode && !isInPairs(mode);

/** Two bytes are one character, whatever they are: of Shift JIS, each says whether it is one. */
export const isInPairs = ({ pairs, shiftJis }: PrinterMode): boolean => pairs && !shiftJis;

const NOTHING = new Uint8Array(0);
const LINE_END = Uint8Array.of(LF);
/** ESC S, standard mode: deletes a page that the job did not print, so that the lines of the next job do not go into it. */
const STANDARD_MODE = Uint8Array.of(ESC, 0x53);

/** What makes the next byte the first of a line, and changes `mode` so; nothing where it is, and in page mode. */
export function beginningOfLine(mode: PrinterMode): Uint8Array {
  if (mode.deselectedBy || mode.pageMode || !mode.textPending) return NOTHING;
  mode.textPending = false;
  return LINE_END;
}

/** What ends a job that has left the printer so, and changes `mode` so. `inOrder`: text that is left on the line gets an LF. */
export function* endingOf(mode: PrinterMode, inOrder: boolean): Generator<Uint8Array> {
  const { textPending, pageMode, deselectedBy } = mode;
  settleMode(mode);
  mode.textPending = textPending && !inOrder && !pageMode;
  // What is deselected would not obey what comes next.
  if (deselectedBy && (pageMode || (inOrder && textPending))) yield SELECT_PRINTER;
  if (pageMode) yield STANDARD_MODE;
  else if (inOrder && textPending) yield LINE_END;
}

const IN = Buffer.from('IN', 'latin1');
const OUT = Buffer.from('OUT', 'latin1');
/** Bytes of the payload of GS ( E that `followCommand` reads: fn, and the letters of function 2. */
export const SETUP_BYTES = 1 + OUT.length;

/**
 * False for a command of which some printers would be in their setup mode (GS ( E functions 1 and 2), or deselected (ESC =), and
 * others not: one whose letters or length are not those of the manual, and either of the two while the other one is so. Of GS ( E,
 * `SETUP_BYTES` of its payload have to be there. `inMacro`: nobody knows when it is obeyed.
 */
export function isModeClear(
  mode: PrinterMode,
  { command, length, payload }: Token,
  b: Uint8Array,
  at: number,
  inMacro: boolean,
): boolean {
  switch (command.role) {
    case 'setup':
      return !inMacro && mode.deselectedBy === undefined && isSetupClear(b, at + length, payload);
    case 'peripheral':
      return !mode.setup || selects(b, at);
    default:
      return true;
  }
}

const selects = (b: Uint8Array, at: number): boolean => (b[at + 2]! & 1) === 1;

/** `payload`: where it begins in `b`. */
function isSetupClear(b: Uint8Array, payload: number, length: number): boolean {
  const letters = [IN, OUT][(b[payload] ?? 0) - 1];
  return (
    letters === undefined ||
    (length === 1 + letters.length && letters.equals(b.subarray(payload + 1, payload + length)))
  );
}

/** Changes `mode` as a printer that obeys the command at `at` does. Of GS ( E and FS ( C what of their payload says it has to be there. */
export function followCommand(
  mode: PrinterMode,
  { command: { role }, length, payload, open }: Token,
  b: Uint8Array,
  at: number,
): void {
  if (role === 'none') return;
  if (role === 'peripheral') {
    mode.plain = false;
    mode.deselectedBy = selects(b, at) ? undefined : b.slice(at, at + length);
  }
  if (role === 'setup') followSetup(mode, b, at + length, payload);
  if (mode.deselectedBy) return;
  switch (role) {
    case 'inLine':
      mode.textPending = !mode.pageMode;
      return;
    case 'list':
      mode.textPending ||= !mode.pageMode && leavesText(b[at + 2]!, b, at + 3, at + length - (open ? 0 : 1));
      return;
    case 'barcode':
      mode.textPending ||=
        !mode.pageMode && leavesText(b[at + 2]!, b, at + length, Math.min(b.length, at + length + payload));
      return;
    case 'printLine':
      mode.textPending = false;
      return;
    case 'pageMode':
      mode.pageMode = true;
      mode.textPending = false;
      return;
    case 'standardMode':
      // Outside of page mode it is ignored.
      if (mode.pageMode) settleMode(mode);
      return;
    case 'pairs':
    case 'noPairs':
      mode.pairs = role === 'pairs';
      return;
    case 'kanjiCode':
      // Epson, FS C: 0 or 48 is JIS, 1 or 49 Shift JIS.
      mode.shiftJis = b[at + 2] === 1 || b[at + 2] === 49;
      return;
    case 'encoding':
      // Epson, FS ( C function 48: m is 2 or 50 for UTF-8, in which FS & and FS C are ignored.
      if (payload >= 2 && b[at + length] === 48 && (b[at + length + 1] === 2 || b[at + length + 1] === 50))
        mode.pairs = mode.shiftJis = false;
      return;
    case 'initialize':
      settleMode(mode);
      mode.pairs = mode.shiftJis = false;
      return;
  }
}

/**
 * The lead byte of the one command that a printer obeys which ignores this one: of ESC = where it is deselected, of GS ( E where it is
 * in its setup mode. Undefined where it obeys this one.
 */
export const awaitedBy = ({ deselectedBy, setup }: PrinterMode, { role }: EscposCommand): number | undefined => {
  if (deselectedBy !== undefined) return ESC;
  return setup && role !== 'setup' ? GS : undefined;
};

/** Bytes of text after which a command has ended on every printer, also where its maker gave it more parameters. */
export const FAR = 8;

/**
 * Changes `mode` as a printer does that gets the text from `start` to `end`, in which FF prints a page. Its first `taken` bytes
 * may be parameters.
 */
export function followText(mode: PrinterMode, b: Uint8Array, start: number, end: number, taken: number): void {
  let plain = end;
  while (plain > start && end - plain < FAR && isPlain(b[plain - 1]!)) plain--;
  mode.sinceCommand = end - plain + (plain === start ? mode.sinceCommand : 0);
  const { textPending } = mode;
  followLines(mode, b, start, end);
  if (textPending && taken > 0 && !mode.pageMode && !b.subarray(start + taken, end).includes(LF))
    mode.textPending = true;
}

function followLines(mode: PrinterMode, b: Uint8Array, start: number, end: number): void {
  let line = start;
  if (mode.pageMode) {
    const printed = b.subarray(start, end).indexOf(FF);
    line = printed < 0 ? end : start + printed;
    if (printed >= 0) settleMode(mode);
  }
  if (mode.deselectedBy) return;
  let last = end - 1;
  while (last >= line && b[last]! < 0x20 && b[last] !== HT && b[last] !== LF) last--;
  if (last >= line) mode.textPending = b[last] !== LF;
}

/**
 * A GS ( E (Epson TM-T88III manual, functions 1 and 2). One that is not clear, or that a printer may ignore which is deselected, may
 * lead in, and may have the printer start again; it does not lead out.
 */
function followSetup(mode: PrinterMode, b: Uint8Array, at: number, payload: number): void {
  const fn = b[at];
  if (fn === 1) mode.setup = true;
  if (fn !== 2 || !mode.setup) return;
  mode.starts = true;
  if (mode.deselectedBy !== undefined || !isSetupClear(b, at, payload)) return;
  mode.setup = false;
  settleMode(mode);
}

const isPlain = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === LF;
