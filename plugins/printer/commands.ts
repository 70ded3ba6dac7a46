/** Runs the commands print, raw and drawer_kick; each gives exactly one result (specification 2.3 to 2.5 and 7). */
import { randomUUID } from 'node:crypto';
import { SyncHook } from 'tapable';
import { drawerPulse, resolveOptions } from '../../codecs/escpos.ts';
import { paperDots } from '../../codecs/picture.ts';
import { stackOf } from '../../runtime/base/thrown.ts';
import type { InTurnByKey } from '../../runtime/base/turns.ts';
import { type Command, type CommandResult, failed, succeeded } from '../../runtime/kernel/command.ts';
import type { EndpointState } from '../../runtime/kernel/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type {
  DrawerKickCommand,
  LaidOut,
  Line,
  Paper,
  PreviewRequest,
  PrintCommand,
  PrinterOffer,
} from './contract.ts';
import type { DrawingRefusal, DrawnBytes } from './drawing/job.ts';
import type { Renderer } from './drawing/renderer.ts';
import type { Job } from './jobs/job.ts';
import type { Printer } from './jobs/printer.ts';
import { NODE } from './jobs/waiters.ts';
import { WriteFailed } from './jobs/write-failed.ts';
import { blankPictureIn } from './layout/blank.ts';
import { linesWithoutOverrides } from './layout/directions.ts';
import { type LayoutSettings, render } from './layout/layout.ts';
import { printAreaOf } from './layout/print-area.ts';

/** A raw command after its base64 was checked. */
export interface RawBytes extends Command {
  readonly type: 'raw';
  readonly bytes: Uint8Array;
}

/** Milliseconds that a job waits for other jobs; then it is refused, and nothing was written. */
const WAIT_MS = 30_000;
/** Milliseconds to wait for the end-of-print echo, which comes after the last line of a long receipt is printed. */
const ECHO_MS = 30_000;

/** The printer at the endpoint that a command names. */
const printerOf = (node: Node, { endpoint }: Command): Printer | undefined => node.bound('printer', endpoint);

/** The address of the client that sent it. */
const clientOf = ({ from = NODE }: Command): string => from;

/**
 * Renders the whole command, then sends it. With `confirm`, waits for the end-of-print echo: outcome `confirmed` or
 * `unconfirmed`. Jobs of one client for one printer are sent in the order in which they came here, however long one is drawn;
 * one that is refused holds up no other. Errors are in the result; rejects only for a fault of the node before any byte was sent.
 */
export async function print(node: Node, command: PrintCommand, parts: PrintParts): Promise<CommandResult> {
  const printer = printerOf(node, command);
  if (printer === undefined) {
    const language = refusedLanguage(node, command.endpoint);
    return language === undefined
      ? failed(command, 'no_printer')
      : failed(command, 'unsupported_command_set', `the printer speaks ${language}, not ESC/POS`);
  }
  const { lines, dropped } = linesWithoutOverrides(command.lines);
  // Drawn while earlier jobs are; sent after them.
  const rendering = renderedFor(node, lines, printer, parts.renderer, clientOf(command));
  const begun = parts.inTurn(`${command.endpoint} ${clientOf(command)}`, async () => {
    const rendered = await rendering.catch(() => undefined);
    // In an array, so that the next job has its turn while this one prints.
    return rendered?.ok === true ? [sendRendered(node, command, printer, rendered, dropped, parts)] : [];
  });
  const rendered = await rendering;
  if (!rendered.ok) return failed(command, rendered.error, rendered.detail);
  const [sent] = await begun;
  return sent!;
}

/** The bytes of these lines for the printer at an endpoint; what is drawn of them is told. Rejects as `Renderer.bytes`. */
export async function laidOut(
  node: Node,
  endpoint: string,
  lines: readonly Line[],
  { renderer, drawn, from = NODE }: Pick<PrintParts, 'renderer' | 'drawn'> & Pick<Command, 'from'>,
): Promise<LaidOut> {
  const printer = node.bound('printer', endpoint);
  if (printer === undefined) return { ok: false, error: 'no_printer', detail: 'no printer is bound' };
  const { lines: kept, dropped } = linesWithoutOverrides(lines);
  const rendered = await renderedFor(node, kept, printer, renderer, from);
  if (!rendered.ok) return rendered;
  if (rendered.drawn.length > 0) drawn.call(endpoint, rendered.drawn);
  return {
    ...rendered,
    detail: otherwise({ substituted: rendered.substituted, turned: dropped }).join('; ') || undefined,
  };
}

/** Why these lines cannot be printed at an endpoint, where nothing is sent; undefined where they can. Rejects as `Renderer.bytes`. */
export async function refusalOf(
  node: Node,
  endpoint: string,
  lines: readonly Line[],
  { renderer, from }: Pick<PrintParts, 'renderer'> & Pick<Command, 'from'>,
): Promise<Extract<LaidOut, { ok: false }> | undefined> {
  const laid = await laidOut(node, endpoint, lines, { renderer, drawn: UNTOLD, from });
  return laid.ok ? undefined : laid;
}

/** What nobody is told. */
const UNTOLD: PrintParts['drawn'] = new SyncHook(['endpoint', 'texts']);

/** What jobs are laid out in at an endpoint; undefined where no printer is bound. */
export function paperOf(node: Node, endpoint: string): Paper | undefined {
  const options = node.bound('printer', endpoint)?.options;
  if (options === undefined) return undefined;
  const settings = settingsOf(node);
  return { columns: Math.min(settings.columns, options.columns), dots: printAreaOf(settings, options).dots };
}

/** Sends the bytes of a print command whose turn it is. `turned`: direction controls that were left out of it. */
async function sendRendered(
  node: Node,
  command: PrintCommand,
  printer: Printer,
  { bytes, substituted, drawn }: DrawnBytes,
  turned: number,
  parts: PrintParts,
): Promise<CommandResult> {
  if (node.restarting) return failed(command, 'restarting');
  if (printerOf(node, command) !== printer)
    return failed(command, 'no_printer', 'it was unplugged before the job was sent');
  if (drawn.length > 0) parts.drawn.call(command.endpoint, drawn);
  const said = remarks(node, printer, command, { substituted, turned });
  const cuts = command.lines.filter(({ type }) => type === 'cut').length;
  const told = { detail: said.join('; ') || undefined, cuts };
  if (command.confirm !== true) return send(node, printer, 'print', command, bytes, told);

  const end = printer.endOfPrint();
  if (end === undefined) {
    const detail = [...said, 'this printer has no end-of-print echo'].join('; ');
    const result = await send(node, printer, 'print', command, bytes, told);
    return result.ok ? { ...result, outcome: 'unconfirmed', detail } : result;
  }
  const { request, echo } = end;
  try {
    const result = await send(node, printer, 'print', command, Buffer.concat([bytes, request]), told);
    return result.ok ? { ...result, outcome: (await echo.within(ECHO_MS)) ? 'confirmed' : 'unconfirmed' } : result;
  } finally {
    echo.forget();
  }
}

/** What comes out otherwise than it was sent. `turned`: direction controls that were left out. */
const otherwise = ({ substituted, turned }: { readonly substituted: number; readonly turned: number }): string[] => [
  ...(substituted > 0 ? [`${substituted} characters this printer cannot show were printed as ?`] : []),
  ...(turned > 0 ? [`${turned} direction controls that would show digits in another order were left out`] : []),
];

/** What a client should know of a receipt that was printed all the same. */
function remarks(
  node: Node,
  { options: { columns } }: Printer,
  { lines }: PrintCommand,
  changed: Parameters<typeof otherwise>[0],
): string[] {
  const { columns: layout } = settingsOf(node);
  const blank = blankPictureIn(lines);
  return [
    ...otherwise(changed),
    ...(blank >= 0 ? [`lines/${blank}: the picture has no black dot`] : []),
    ...(layout > columns
      ? [`laid out in ${layout} columns (printWidthCols), of which this printer has ${columns}`]
      : []),
  ];
}

/** What a print command needs beside its printer. */
export interface PrintParts extends Pick<PrinterOffer, 'drawn'> {
  readonly renderer: Renderer;
  /** Keeps the jobs of one client for one printer in order. */
  readonly inTurn: InTurnByKey;
}

const settingsOf = ({ config }: Node): LayoutSettings => ({
  columns: config.get('printWidthCols'),
  cutClearanceLines: config.get('cutClearanceLines'),
});

/** The bytes of a print command: laid out at once where its text goes without shaping, else in the drawing thread. */
async function renderedFor(
  node: Node,
  lines: readonly Line[],
  { options }: Printer,
  renderer: Renderer,
  from: string,
): Promise<DrawnBytes | DrawingRefusal> {
  if (!(await renderer.hasMemory('bytes'))) throw new ApiError('render_alloc_failed');
  const settings = settingsOf(node);
  const rendered = render(lines, settings, options);
  if (rendered.ok || rendered.error !== 'needs_shaping') return rendered;
  const shaped = await renderer.bytes({ lines, settings, options }, from);
  return shaped;
}

/** A client that looks at lines; `wanted`: whether it still waits. */
export interface Looking {
  readonly from: string;
  readonly wanted: () => boolean;
}

/**
 * The paper of these lines as SVG, as the printer at the endpoint prints them; without one, as the first that is bound; else as one of the
 * configured width. Throws an ApiError where the lines cannot be printed, or as `Renderer`.
 */
export async function preview(
  node: Node,
  renderer: Renderer,
  asked: PreviewRequest,
  { from, wanted }: Looking,
): Promise<Uint8Array> {
  const job = shownOf(node, asked);
  if (!(await renderer.hasMemory('paper'))) throw new ApiError('render_alloc_failed');
  const answer = await renderer.paper(job, from, wanted);
  if (!answer.ok) throw new ApiError(answer.error, answer.detail);
  return answer.svg;
}

/** Throws the ApiError with which `preview` does, and draws no paper: where its text goes without shaping, without the drawing thread. */
export async function check(
  node: Node,
  renderer: Renderer,
  asked: PreviewRequest,
  { from, wanted }: Looking,
): Promise<void> {
  const job = shownOf(node, asked);
  if (!(await renderer.hasMemory('bytes'))) throw new ApiError('render_alloc_failed');
  const rendered = render(job.lines, job.settings, job.options);
  const isOpen = !rendered.ok && rendered.error === 'needs_shaping';
  const answer = isOpen ? await renderer.check(job, from, wanted) : rendered;
  if (!answer.ok) throw new ApiError(answer.error, answer.detail);
}

/** Lines as they are printed at an endpoint. Throws the ApiError `unknown_endpoint`. */
function shownOf(node: Node, { lines, endpoint }: PreviewRequest) {
  const settings = settingsOf(node);
  const { columns } = settings;
  const known = node.endpoints('printer').map(({ declaration: { id } }) => id);
  if (endpoint !== undefined && !known.includes(endpoint)) throw new ApiError('unknown_endpoint');
  const ids = endpoint === undefined ? known : [endpoint];
  const [printer] = ids.flatMap((id) => node.bound('printer', id) ?? []);
  const options = printer?.options ?? resolveOptions({ columns, dots: paperDots(columns) });
  const { lines: kept, dropped } = linesWithoutOverrides(lines);
  return { lines: kept, settings, options, leftOut: dropped };
}

/**
 * Prints these lines on the first printer that answers, else on the first that only takes bytes, and cuts. Gives false where none printed them, undefined where
 * there is none. Never rejects.
 */
export async function printSlip(node: Node, lines: readonly object[]): Promise<boolean | undefined> {
  const printers = node.endpoints('printer');
  // One that never answers prints all the same.
  const to = printers.find(({ condition }) => condition === 'bound') ?? printers.find(isSilent);
  if (to === undefined) return undefined;
  const { ok, error, detail } = await node.command({
    type: 'print',
    id: `slip-${randomUUID()}`,
    endpoint: to.declaration.id,
    lines: [...(lines as PrintCommand['lines']), { type: 'cut' }],
  });
  if (!ok) node.log.warn({ error, detail }, 'slip not printed');
  return ok;
}

const isSilent = ({ condition }: EndpointState) => condition === 'silent';

/** Sends bytes unchanged. Errors as `print`. */
export function raw(node: Node, command: RawBytes): Promise<CommandResult> | CommandResult {
  const printer = printerOf(node, command);
  return printer === undefined ? failed(command, 'no_printer') : send(node, printer, 'raw', command, command.bytes);
}

/**
 * Sends one drawer pulse, with pin and times of the command or of the configuration, between two commands of whoever prints.
 * Errors as `print`.
 */
export async function kick(node: Node, command: DrawerKickCommand & Pick<Command, 'begin'>): Promise<CommandResult> {
  const printer = printerOf(node, command);
  if (printer === undefined) return failed(command, 'no_drawer');
  const configured = node.config.get('drawer');
  const { pin = configured.pin, onMs = configured.onMs, offMs = configured.offMs } = command;
  const pulse = drawerPulse(pin, onMs, offMs);
  try {
    await printer.kick(pulse, WAIT_MS, command.begin);
    node.offered('jobs')?.count(command.endpoint, 'kicks');
    return succeeded(command, 'accepted', pulse.length);
  } catch (error) {
    if (!(error instanceof WriteFailed)) throw error;
    return notWritten(node, printer, command, pulse.length, error);
  }
}

/**
 * Throws a fault of the node only where no byte was sent; else it is a result, because something may be printed. `cuts`: of
 * a print command.
 */
async function send(
  node: Node,
  printer: Printer,
  kind: 'print' | 'raw',
  command: Command,
  bytes: Uint8Array,
  { detail, cuts = 0 }: { readonly detail?: string | undefined; readonly cuts?: number } = {},
): Promise<CommandResult> {
  const job = printer.job(kind, clientOf(command));
  const jobs = node.offered('jobs');
  jobs?.follow(command, job, bytes.length);
  let left = false;
  try {
    await job.begin(WAIT_MS);
    await begun(command, job);
    if (job.announcesTooMuch(bytes)) {
      job.leave();
      return failed(command, 'render_too_large', 'a payload over 1 MiB begins');
    }
    await job.write(bytes);
    left = true;
    await job.end();
    if (kind === 'print') jobs?.count(command.endpoint, 'receipts');
    jobs?.count(command.endpoint, 'cuts', cuts + job.cuts);
    return succeeded(command, 'accepted', bytes.length, detail);
  } catch (error) {
    if (!(error instanceof WriteFailed) && !left) throw error;
    const failure = error instanceof WriteFailed ? error : new WriteFailed('io', bytes.length, error);
    return notWritten(node, printer, command, bytes.length, failure);
  }
}

/** The turn of a command has come. Rejects where it may not begin; then the printer is free for the next. */
async function begun({ begin }: Command, job: Job): Promise<void> {
  try {
    const stored = begin?.();
    if (stored !== undefined) await stored;
  } catch (error) {
    job.leave();
    throw error;
  }
}

/** The result of a command of which the printer took less than all `length` bytes. */
function notWritten(
  node: Node,
  printer: Printer,
  command: Command,
  length: number,
  { fault, written, cause, began }: WriteFailed,
): CommandResult {
  if (!began && fault !== 'busy' && node.restarting) return failed(command, 'restarting');
  if (fault === 'busy') return failed(command, 'busy', `${holderOf(printer)}; nothing was written`);
  if (cause !== undefined)
    node.log.error({ id: command.id, error: stackOf(cause) }, 'a write failed in the node itself');
  void printer.refresh();
  const some = `${cause === undefined ? '' : 'at least '}${written} of ${length} bytes were written`;
  const how = written === 0 && cause === undefined ? 'nothing was written' : some;
  // After a fault of the node the number is a lower bound: of 0 nothing follows.
  const known = written > 0 || cause === undefined ? written : undefined;
  return failed(command, 'write_failed', `${fault}: ${how}`, known);
}

/** The holder of the printer and since when, for `detail` of a command that did not get its turn. */
export function holderOf({ heldBy }: Printer): string {
  if (heldBy === undefined) return 'other jobs came first';
  const way = heldBy.by === 'api' ? 'the API' : 'port 9100';
  return `${heldBy.from} has had the printer by ${way} for ${Math.round(heldBy.ms / 1000)} s`;
}

/** The language of a printer at this endpoint that was refused for it; undefined for any other state. */
function refusedLanguage(node: Node, endpoint: string): string | undefined {
  const { reason, identity } = node.endpoint(endpoint) ?? {};
  if (reason !== 'unsupported_language') return undefined;
  const entry = [...node.ledger.devices].find((each) => each.identity === identity);
  return entry?.detail ?? 'another language';
}
