/** One job on the node: each command with a key of its own, again until it is known what came of it, or the job is too old. */

import { setTimeout as delay } from 'node:timers/promises';
import { eposErrorOf, eposFailed, eposRefused, eposStatusOf } from '../../codecs/epos-results.ts';
import type { EposCommand } from '../../codecs/epos-xml.ts';
import { type EposPaper, fitted, widestOf } from '../../codecs/epos-xml-fit.ts';
import { cutInto, type EposParts, eposParts } from '../../codecs/epos-xml-parts.ts';
import { EPOS_DEVICE, type EposLine } from '../../codecs/epos-xml-values.ts';
import { paperDots } from '../../codecs/picture.ts';
import { backoff } from '../base/backoff.ts';
import { letIn } from '../base/loop.ts';
import type { NodeClient } from '../client/client.ts';
import { NodeError } from '../client/errors.ts';
import type { Status } from '../client/types.ts';
import { keptShut, NOT_ALLOWED } from './drawer.ts';
import type { Journal, Outcome, PulledJob } from './journal.ts';
import { compiled } from './optimizer.ts';

/** How jobs of one server are printed. */
export interface PrintingOptions {
  readonly client: NodeClient;
  readonly endpoint: string;
  readonly allowDrawer: boolean;
  /** Older jobs are reported, not printed. */
  readonly staleMs: number;
  readonly signal: AbortSignal;
  readonly log: (words: string) => void;
}

/** The node was not reached, did not look at the key, is still at it or at another server's job of the same name, or is short of something. */
const AGAIN = /^(unreachable|bad_answer|busy|conflict|key_in_use|restarting|render_alloc_failed|persist_failed)$/;
const PAUSE_MS = { first: 250, longest: 5000 };
const STATUS_MS = 5000;
/** The node reads its printers every five seconds or so: what its status says may be so much older. */
const READING_MS = 6000;
const LOOK_AGAIN_MS = 500;
const CLOSED_OR_FILLED = /^(cover_open|paper_out)$/;

/** What is known of a printer. */
export interface PrinterState {
  readonly known: boolean;
  readonly online: boolean;
  readonly paperOut: boolean;
  readonly coverOpen: boolean;
  readonly paperLow?: boolean | undefined;
  readonly condition?: string | undefined;
  readonly columns?: number | undefined;
  readonly layoutColumns?: number | undefined;
  readonly layoutDots?: number | undefined;
}

/** The printer at the endpoint, as GET /status tells it; undefined where the node has none. Rejects with a NodeError. */
export async function printerState({
  client,
  endpoint,
  signal,
}: Pick<PrintingOptions, 'client' | 'endpoint' | 'signal'>): Promise<PrinterState | undefined> {
  return printerIn(await client.status({ signal, timeoutMs: STATUS_MS }), endpoint);
}

const printerIn = ({ printers }: Status, endpoint: string): PrinterState | undefined =>
  printers.find((each) => each.endpoint === endpoint);

/** The error of a printer that cannot print now, or is none of the node's; undefined where it can, or nobody knows. */
export const errorOf = (state: PrinterState | undefined): string | undefined =>
  state === undefined ? 'unknown_endpoint' : eposErrorOf(state);

/**
 * Prints a job of the journal, and writes down what came of it. Rejects with the reason of the signal, or where the disk takes nothing;
 * then the job is open as before.
 */
export async function printJob(job: PulledJob, journal: Journal, options: PrintingOptions): Promise<void> {
  const outcome = await outcomeOf(job, journal, { ...options, endpoint: endpointOf(job, options) });
  journal.end(job, outcome);
  const { error, detail, inDoubt } = outcome;
  if (error === undefined) {
    if (detail !== undefined && detail !== remarked.get(journal))
      options.log(`job ${nameOf(job)}: printed otherwise than asked for: ${detail}`);
    remarked.set(journal, detail ?? remarked.get(journal) ?? '');
    return;
  }
  options.log(`job ${nameOf(job)}: ${inDoubt ? 'in doubt' : 'not printed'}: ${error}${detail ? ` (${detail})` : ''}`);
}

/** What the log was told last of the jobs of a server, as many have the same. */
const remarked = new WeakMap<Journal, string>();

/** The printer of the server, or the endpoint that the job is for. */
function endpointOf({ about }: PulledJob, { endpoint }: PrintingOptions): string {
  const device = about?.['device'] ?? EPOS_DEVICE;
  return device === EPOS_DEVICE ? endpoint : device;
}

const nameOf = ({ id, nameless, key }: PulledJob): string => (nameless || id === undefined ? key : id);

async function outcomeOf(job: PulledJob, journal: Journal, options: PrintingOptions): Promise<Outcome> {
  if ('fault' in job.commands) return { error: job.commands.code, detail: job.commands.fault };
  const commands = allowedOf(job.commands, options);
  // What was allowed when it began may be on paper.
  if ('error' in commands) return job.begun === true ? { ...commands, error: 'write_failed', inDoubt: true } : commands;
  const isStale = () => {
    const age = journal.ageMs(job);
    return age === undefined || age > options.staleMs;
  };
  if (isStale()) return stale(job.begun === true);

  let state: PrinterState | undefined;
  let parts: readonly EposCommand[];
  const begunBefore = job.begun === true;
  if (begunBefore) parts = await partsAgain(commands, job);
  else {
    const seen = await statusSince(() => journal.ageMs(job) ?? READING_MS, isStale, options);
    if ('error' in seen) {
      const { code, message } = seen.error;
      return AGAIN.test(code) ? stale(false, message) : { error: code, detail: message };
    }
    state = printerIn(seen.value, options.endpoint);
    const error = errorOf(state);
    const words = state === undefined ? `no printer has the name ${options.endpoint.slice(0, 64)}; ` : '';
    if (error !== undefined) return { error, status: eposStatusOf(state), detail: `${words}nothing was printed` };
    const paper = paperOf(state, widestOf(commands));
    const laid = await laidOut(commands, paper, isStale, options);
    if ('error' in laid) return eposRefused(laid, state);
    parts = laid.parts;
    // A node of an older release has no mark.
    const mark = (seen.value as Partial<Status>).idempotency?.mark;
    journal.begin(job, { mark, paper, cuts: laid.cuts });
  }
  const remarks = new Set<string>();
  for (const [index, command] of parts.entries()) {
    const sent = await untilKnown(
      (maybe) => send(command, job, { index, maybe }, options),
      isStale,
      options,
      begunBefore,
    );
    if ('error' in sent) {
      const { code: error, detail, meaning } = sent.error;
      const failure = { error, detail: detail || meaning || error, mayHavePrinted: sent.mayHavePrinted };
      const state = await printerState(options).catch(() => undefined);
      return eposFailed({ ...failure, index, of: parts.length }, state);
    }
    if (sent.value.detail !== undefined) remarks.add(sent.value.detail);
  }
  const detail = [...remarks].join('; ');
  return { status: eposStatusOf(state, true), ...(detail !== '' && { detail }) };
}

/**
 * What the node says of its printers. A cover that is open or paper that is out was read when the job was there: the last reading before that
 * may be from before somebody closed the cover, and a till forgets what is refused.
 */
async function statusSince(
  ageMs: () => number,
  isStale: () => boolean,
  options: PrintingOptions,
): Promise<Known<Status>> {
  const { client, endpoint, signal } = options;
  for (;;) {
    const seen = await untilKnown(() => client.status({ signal, timeoutMs: STATUS_MS }), isStale, options);
    const error = 'error' in seen ? undefined : errorOf(printerIn(seen.value, endpoint));
    if (!CLOSED_OR_FILLED.test(error ?? '') || ageMs() >= READING_MS || isStale()) return seen;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** What the node says of lines that it cannot print. */
const REFUSED = /^(invalid_command|unsupported_line_type|render_too_large)$/;

/** What is sent, for that paper: the node has looked at all of it before the first is. Rejects with the reason of the signal. */
async function laidOut(
  commands: readonly EposCommand[],
  paper: EposPaper,
  isStale: () => boolean,
  options: PrintingOptions,
): Promise<EposParts> {
  const { client, endpoint, log } = options;
  const widest = widestOf(commands);
  if (widest > paper.dots) log(`an image of ${widest} dots is printed in the ${paper.dots} of the paper`);
  return eposParts(await fittedTo(commands, paper), paper, async (lines: EposLine[]) => {
    if (isStale()) return { error: 'stale', detail: 'too old to be printed; nothing was printed' };
    const known = await untilKnown(() => client.check(lines, { endpoint, signal: options.signal }), isStale, options);
    if (!('error' in known)) return undefined;
    const { code, detail, meaning } = known.error;
    if (AGAIN.test(code)) return { error: 'stale', detail: `too old to be printed; nothing was printed (${code})` };
    // Of anything else the command tells when it is its turn.
    return REFUSED.test(code) ? { error: code, detail: detail || meaning || code } : undefined;
  });
}

/** What was sent, or a part of it: each command is to be the same for its key. */
async function partsAgain(
  commands: readonly EposCommand[],
  { paper, cuts = 0 }: PulledJob,
): Promise<readonly EposCommand[]> {
  // A release before this one noted none, and sent the commands as they are.
  return paper === undefined ? commands : cutInto(await fittedTo(commands, paper), paper, cuts);
}

const fittedTo = (commands: readonly EposCommand[], paper: EposPaper): Promise<EposCommand[]> =>
  widestOf(commands) > paper.dots ? compiled(() => fitted(commands, paper, letIn)) : fitted(commands, paper, letIn);

/** Columns of a printer that is not known: of 80 mm paper. */
const COLUMNS = 48;

/** What the node lays jobs out in. `widest`: of the images. */
function paperOf(state: PrinterState | undefined, widest: number): EposPaper {
  const { columns = COLUMNS, layoutColumns = columns, layoutDots } = state ?? {};
  const least = Math.min(columns, layoutColumns);
  if (layoutDots !== undefined) return { columns: least, dots: layoutDots };
  // A node of an older release: its printer may have some dots more than its columns take.
  const isWithin = layoutColumns >= columns && widest < paperDots(columns + 1);
  return { columns: least, dots: Math.max(paperDots(least), isWithin ? widest : 0) };
}

/** The commands as they are sent, or what this server may not do, whatever the node says. */
function allowedOf(
  commands: readonly EposCommand[],
  { allowDrawer }: PrintingOptions,
): readonly EposCommand[] | (Outcome & { readonly error: string }) {
  if (allowDrawer) return commands;
  const allowed: EposCommand[] = [];
  for (const command of commands) {
    const shut = command.type === 'raw' ? keptShut(Buffer.from(command.data, 'base64')) : undefined;
    if (command.type === 'drawer_kick') return { error: 'invalid_command', detail: `pulse: ${NOT_ALLOWED}` };
    if (shut !== undefined && 'fault' in shut) return { error: 'invalid_command', detail: `command: ${shut.fault}` };
    allowed.push(shut === undefined ? command : { type: 'raw', data: Buffer.from(shut.bytes).toString('base64') });
  }
  return allowed;
}

/** `maybe`: it may have been sent before. */
const send = (
  command: EposCommand,
  job: PulledJob,
  { index, maybe }: { readonly index: number; readonly maybe: boolean },
  { client, endpoint, signal }: PrintingOptions,
) => {
  // As every release sends it: what is sent again for a key has to be the same.
  const id = nameOf(job).slice(0, 128);
  const path = command.type === 'drawer_kick' ? '/drawer/kick' : `/${command.type}`;
  return client.request<{ readonly detail?: string }>(
    'POST',
    path,
    { ...command, id, endpoint },
    {
      ...{ key: `${job.key}-${index}`, signal },
      mark: maybe ? job.mark : undefined,
    },
  );
};

type Known<Value> = { readonly value: Value } | { readonly error: NodeError; readonly mayHavePrinted: boolean };

/** Does it until the node gives an answer that stays, or the job is too old. */
async function untilKnown<Value>(
  work: (mayHavePrinted: boolean) => Promise<Value>,
  isStale: () => boolean,
  { signal }: PrintingOptions,
  begunBefore = false,
): Promise<Known<Value>> {
  let mayHavePrinted = begunBefore;
  for (let failures = 1; ; failures += 1) {
    try {
      return { value: await work(mayHavePrinted) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const isOpen = AGAIN.test(error.code);
      // A key is of one job, and random: another body was sent for it by a release before this one, and may be on paper.
      const wasSent = error.code === 'idempotency_mismatch';
      mayHavePrinted = error.mayHavePrinted || wasSent || (mayHavePrinted && (isOpen || error.status === 401));
      if (!isOpen || isStale()) return { error, mayHavePrinted };
    }
    await delay(backoff(failures, PAUSE_MS.first, PAUSE_MS.longest), undefined, { signal });
  }
}

const stale = (begun: boolean, cause?: string): Outcome =>
  begun
    ? { error: 'write_failed', inDoubt: true, detail: 'too old to be sent again; it may have printed' }
    : { error: 'stale', detail: `too old to be printed; nothing was printed${cause ? ` (${cause})` : ''}` };
