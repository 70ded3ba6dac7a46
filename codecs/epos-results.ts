/** What becomes of ePOS-Print XML, in Epson's words: error codes and status ("ePOS-Print XML User's Manual", <response>). */
import { escapeXml } from './xml-tree.ts';

/** Values of `code` that come of a node; '' is success. */
export type EposCode =
  | ''
  | ('EPTR_COVER_OPEN' | 'EPTR_REC_EMPTY' | 'SchemaError' | 'DeviceNotFound' | 'PrintSystemError' | 'EX_BADPORT')
  | ('EX_TIMEOUT' | 'EX_SPOOLER' | 'EX_DEVICE_BUSY' | 'RequestEntityTooLarge' | 'JobNotFound');

/** Error codes of a node: what has another name is a fault of the printing system. */
const CODES: ReadonlyMap<string, EposCode> = new Map<string, EposCode>([
  ['cover_open', 'EPTR_COVER_OPEN'],
  ['paper_out', 'EPTR_REC_EMPTY'],
  ['no_printer', 'EX_BADPORT'],
  ['no_drawer', 'EX_BADPORT'],
  ['unknown_endpoint', 'DeviceNotFound'],
  ['invalid_command', 'SchemaError'],
  ['unsupported_line_type', 'SchemaError'],
  ['render_too_large', 'RequestEntityTooLarge'],
  ['invalid_body', 'RequestEntityTooLarge'],
  ['not_found', 'JobNotFound'],
  ['render_alloc_failed', 'EX_SPOOLER'],
  ['busy', 'EX_DEVICE_BUSY'],
  // Some of it may be on paper: the one code that promises neither.
  ['write_failed', 'EX_TIMEOUT'],
]);

/** Epson's code for an error code of the node. */
export const eposCodeOf = (error: string): EposCode => CODES.get(error) ?? 'PrintSystemError';

/** The state of a printer as GET /status tells it. */
export interface EposPrinterState {
  readonly known: boolean;
  readonly online: boolean;
  readonly paperOut: boolean;
  readonly coverOpen: boolean;
  readonly paperLow?: boolean | undefined;
}

/** Bits of the status; those of `FIXED` are set in every one (ASB of ESC/POS, GS a). */
const FIXED = 0x0f00_0010;
const NO_RESPONSE = 0x01;
const PRINTED = 0x02;
const OFFLINE = 0x08;
const COVER_OPEN = 0x20;
const NEAR_END = 0x02_0000;
const PAPER_END = 0x08_0000;

/** The status as a number; `printed`: of a job that is on paper. */
export function eposStatusOf(state: EposPrinterState | undefined, printed = false): number {
  const done = printed ? PRINTED : 0;
  if (state === undefined || !state.known) return printed ? FIXED | done : NO_RESPONSE;
  return (
    FIXED |
    done |
    (state.online ? 0 : OFFLINE) |
    (state.coverOpen ? COVER_OPEN : 0) |
    (state.paperLow === true ? NEAR_END : 0) |
    (state.paperOut ? PAPER_END : 0)
  );
}

/** The error of a printer that cannot print now; undefined where it can, or nobody knows. */
export function eposErrorOf({ coverOpen, paperOut }: EposPrinterState): string | undefined {
  if (coverOpen) return 'cover_open';
  return paperOut ? 'paper_out' : undefined;
}

/** What became of the commands of one document. `error`: a code of the node; undefined where all of it is on paper. */
export interface EposOutcome {
  readonly error?: string | undefined;
  /** For people. */
  readonly detail?: string | undefined;
  /** Nobody knows how much of it is on paper. */
  readonly inDoubt?: boolean | undefined;
  /** As `eposStatusOf` gives it. */
  readonly status?: number | undefined;
}

/** How a command of a document failed. */
export interface EposFailure {
  readonly error: string;
  readonly detail: string;
  /** Bytes of it may have reached the printer. */
  readonly mayHavePrinted: boolean;
  /** Place of the command in the document, from 0 on; those before it are on paper. */
  readonly index: number;
  /** Commands of the document. */
  readonly of: number;
}

/** What became of a document of which a command failed; `state`: of the printer after that. */
export function eposFailed(
  { error, detail, mayHavePrinted, index, of }: EposFailure,
  state: EposPrinterState | undefined,
): EposOutcome {
  // The node's words where the printer took no byte.
  const untouched = error === 'write_failed' && /nothing was written$/.test(detail);
  const inDoubt = (mayHavePrinted && !untouched) || index > 0;
  const cause = untouched ? ((state && eposErrorOf(state)) ?? 'no_printer') : error;
  return {
    error: inDoubt ? 'write_failed' : cause,
    detail: withPart(detail, { index, of }),
    status: eposStatusOf(state),
    ...(inDoubt && { inDoubt }),
  };
}

/** What became of a document of which a command cannot be printed, and none was sent. */
export const eposRefused = (
  { error, detail, ...part }: Omit<EposFailure, 'mayHavePrinted'>,
  state: EposPrinterState | undefined,
): EposOutcome => ({ error, detail: withPart(detail, part), status: eposStatusOf(state) });

const withPart = (detail: string, { index, of }: Pick<EposFailure, 'index' | 'of'>): string =>
  of > 1 ? `${detail} (part ${index + 1} of ${of})` : detail;

/** What became of one document. */
export interface EposResult {
  readonly code: EposCode;
  readonly status: number;
  /** In the node's words, for people: printers have no such attribute, and readers pass over it. */
  readonly detail?: string | undefined;
}

/** The `response` element of a result. */
export function eposResponse({ code, status, detail }: EposResult): string {
  const words = detail === undefined ? '' : ` detail="${escapeXml(detail)}"`;
  const values = `success="${code === ''}" code="${code}" status="${status}" battery="0"${words}`;
  return `<response xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print" ${values}/>`;
}
