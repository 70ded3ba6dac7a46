/** What each operation does (RFC 8011, 4.2 and 4.3; PWG 5100.11, 5100.13). */
import { pipeline } from 'node:stream';
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type Collection, GROUP, type IppAttributes, type IppRequest, type WrittenGroup } from '../../codecs/ipp.ts';
import { FORMATS } from './content.ts';
import type { Head } from './document.ts';
import type { IppJob } from './job.ts';
import { BRIEF, jobAttributes } from './job-attributes.ts';
import { OPERATION, PRIVATE } from './printer-attributes.ts';
import type { Queue } from './queue.ts';
import { IppRefusal, STATUS } from './refusal.ts';
import { checkJob, flagIn, isCharset, nameIn, numberIn, operationAttributes, requested, wordIn } from './request.ts';
import type { Spool } from './spool.ts';

/** A request, with the printer that it came to and the client that sent it. */
export interface IppAsked {
  readonly request: IppRequest;
  readonly queue: Queue;
  /** Address of the client. */
  readonly from: string;
  /** The printer as the client reached it. */
  readonly printerUri: string;
  /** What its pages are printed on. */
  readonly head: Head;
  /** What follows the attributes. */
  readonly document: AsyncIterable<Uint8Array>;
  readonly startedAt: number;
  printer(): Promise<{ readonly template: IppAttributes; readonly description: IppAttributes }>;
  identify(): void;
}

/** An answer. */
export interface IppAnswer {
  readonly status: number;
  readonly groups: readonly WrittenGroup[];
}

const OK: IppAnswer = { status: STATUS.ok, groups: [] };
const MOST_JOBS = 500;
const COMPRESSIONS = ['none', 'gzip', 'deflate'];

/** Does what a request asks for. Throws an IppRefusal, or rejects with one. */
export async function answer(asked: IppAsked): Promise<IppAnswer> {
  const { request } = asked;
  const attributes = operationAttributes(request);
  const run = RUN[request.operation];
  if (run === undefined) throw new IppRefusal(STATUS.operationNotSupported, 'the operation is not supported');
  const target = wordIn(attributes, 'printer-uri') ?? wordIn(attributes, 'job-uri');
  if (target === undefined) throw new IppRefusal(STATUS.badRequest, 'there is no printer-uri');
  const path = new URL(asked.printerUri.replace(/^ipp:/, 'http:')).pathname;
  if (!URL.canParse(target) || !isAt(new URL(target).pathname, path, asked.queue.endpoint))
    throw new IppRefusal(STATUS.notFound, 'there is no such printer');
  await asked.queue.look();
  return run(asked, attributes);
}

/** Whether a path names this printer, by either name, or a job of it. */
const isAt = (path: string, printer: string, endpoint: string): boolean =>
  [printer, `/ipp/print/${endpoint}`, '/ipp/print', '/'].includes(path.replace(/\/\d+$/, '') || '/');

const RUN: Readonly<Record<number, (asked: IppAsked, attributes: Collection) => Promise<IppAnswer> | IppAnswer>> = {
  [OPERATION.printJob]: async (asked, attributes) => {
    const checked = jobAsked(asked, attributes);
    const job = create(asked, checked);
    await send(asked, attributes, job);
    return jobAnswer(asked, job, checked.unsupported);
  },
  [OPERATION.validateJob]: (asked, attributes) => withUnsupported([], jobAsked(asked, attributes).unsupported),
  [OPERATION.createJob]: (asked, attributes) => {
    const checked = jobAsked(asked, attributes);
    return jobAnswer(asked, create(asked, checked), checked.unsupported);
  },
  [OPERATION.sendDocument]: async (asked, attributes) => {
    const job = ownJobIn(asked, attributes);
    const isLast = flagIn(attributes, 'last-document');
    if (isLast === undefined) throw new IppRefusal(STATUS.badRequest, 'last-document is missing');
    checkFormat(attributes);
    // An empty one behind the document says that no more comes (RFC 8011, 4.3.1).
    if (isLast && job.spool !== undefined && (await isEmpty(asked.document))) return jobAnswer(asked, job);
    await send(asked, attributes, job);
    return jobAnswer(asked, job);
  },
  [OPERATION.cancelJob]: (asked, attributes) => {
    asked.queue.cancel(ownJobIn(asked, attributes));
    return OK;
  },
  [OPERATION.cancelMyJobs]: (asked, attributes) => {
    const { queue } = asked;
    const ids = attributes.get('job-ids');
    for (const job of queue.openJobs.filter(isMine(asked, attributes)))
      if (ids === undefined || ids.includes(job.id)) queue.cancel(job);
    return OK;
  },
  [OPERATION.getJobAttributes]: (asked, attributes) => ({
    status: STATUS.ok,
    groups: [jobGroup(asked, jobIn(asked, attributes), requested(attributes))],
  }),
  [OPERATION.getJobs]: (asked, attributes) => {
    const names = requested(attributes) ?? new Set(['job-id', 'job-uri']);
    return { status: STATUS.ok, groups: listed(asked, attributes).map((job) => jobGroup(asked, job, names)) };
  },
  [OPERATION.getPrinterAttributes]: async (asked, attributes) => {
    const { template, description } = await asked.printer();
    const names = requested(attributes) ?? new Set(['all']);
    const has = (name: string, group: string) =>
      names.has(name) || (name !== 'media-col-database' && (names.has('all') || names.has(group)));
    const chosen = {
      ...picked(description, (name) => has(name, 'printer-description')),
      ...picked(template, (name) => has(name, 'job-template')),
    };
    return { status: STATUS.ok, groups: [{ tag: GROUP.printer, attributes: chosen }] };
  },
  [OPERATION.closeJob]: (asked, attributes) => {
    const job = ownJobIn(asked, attributes);
    asked.queue.close(job);
    return jobAnswer(asked, job);
  },
  [OPERATION.identifyPrinter]: (asked) => {
    asked.identify();
    return OK;
  },
};

const ANONYMOUS = 'anonymous';

const picked = (all: IppAttributes, isWanted: (name: string) => boolean): IppAttributes =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));

const withUnsupported = (groups: readonly WrittenGroup[], unsupported: IppAttributes): IppAnswer =>
  Object.keys(unsupported).length === 0
    ? { status: STATUS.ok, groups }
    : { status: STATUS.ignored, groups: [{ tag: GROUP.unsupported, attributes: unsupported }, ...groups] };

/** What a job is asked to be, checked. */
type Wanted = ReturnType<typeof checkJob> & { readonly name: string; readonly user: string };

function jobAsked({ request, head }: IppAsked, attributes: Collection): Wanted {
  checkFormat(attributes);
  const name = nameIn(attributes, 'job-name', 'Untitled');
  const user = nameIn(attributes, 'requesting-user-name', ANONYMOUS);
  return { ...checkJob(request, attributes, head), name, user };
}

function checkFormat(attributes: Collection): void {
  const compression = wordIn(attributes, 'compression') ?? 'none';
  if (!COMPRESSIONS.includes(compression))
    throw new IppRefusal(STATUS.compressionNotSupported, `compression is ${COMPRESSIONS.join(', ')}`);
  if (!FORMATS.includes(formatIn(attributes)))
    throw new IppRefusal(STATUS.formatNotSupported, `formats are ${FORMATS.join(', ')}`);
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(wordIn(attributes, 'document-format') ?? '') ?? [];
  if (!isCharset(charset)) throw new IppRefusal(STATUS.formatNotSupported, 'text is in UTF-8');
}

const formatIn = (attributes: Collection): string => {
  const [type = ''] = (wordIn(attributes, 'document-format') ?? 'application/octet-stream').split(';');
  return type.trim().toLowerCase();
};

const create = ({ queue, from }: IppAsked, { name, user, wishes }: Wanted): IppJob =>
  queue.create({ name, user, from, wishes });

async function isEmpty(document: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const { length } of document) if (length > 0) return false;
  return true;
}

/** The document of a job: resolves when all of it has come, and is fit to be printed as far as can be told before. */
async function send({ queue, document }: IppAsked, attributes: Collection, job: IppJob): Promise<void> {
  const format = formatIn(attributes);
  const spool = queue.open(job, format);
  const received = receive(document, wordIn(attributes, 'compression') ?? 'none', spool);
  received.catch(() => {});
  await queue.submit(job, format);
  await received.catch(() => {
    throw new IppRefusal(STATUS.canceled, job.message);
  });
}

async function receive(document: AsyncIterable<Uint8Array>, compression: string, spool: Spool): Promise<void> {
  try {
    for await (const chunk of unpacked(document, compression)) await spool.push(chunk);
    spool.end();
  } catch (error) {
    const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    const fault = isZlib ? new IppRefusal(STATUS.compressionError, error.message) : (error as Error);
    spool.fail(fault);
    throw fault;
  }
}

/** `deflate` comes with the header of zlib (RFC 1950), and without it: the first byte says which. */
async function* unpacked(document: AsyncIterable<Uint8Array>, compression: string): AsyncGenerator<Uint8Array> {
  if (compression === 'none') {
    yield* document;
    return;
  }
  // Read here, not by a stream: where nothing listens to that yet, the error of a client that has gone would be an uncaught one.
  const chunks = document[Symbol.asyncIterator]();
  const first = await chunks.next();
  const packed = async function* () {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  const hasHeader = !first.done && ((first.value[0] ?? 0) & 0x0f) === 8;
  const inflate = compression === 'gzip' ? createGunzip() : hasHeader ? createInflate() : createInflateRaw();
  pipeline(packed, inflate, () => {});
  yield* inflate;
}

/** The job that a request names, by its id or its URI. */
function jobIn({ queue }: IppAsked, attributes: Collection): IppJob {
  const inUri = /\/(\d+)$/.exec(wordIn(attributes, 'job-uri') ?? '')?.[1];
  const id = numberIn(attributes, 'job-id') ?? (inUri === undefined ? undefined : Number(inUri));
  if (id === undefined) throw new IppRefusal(STATUS.badRequest, 'there is no job-id');
  const job = queue.find(id);
  if (job === undefined) throw new IppRefusal(STATUS.notFound, 'there is no such job');
  return job;
}

/**
 * As `jobIn`, for what only the owner of a job may do (RFC 8011, 4.3). Nobody signs in, and a user name is what anybody may say: the
 * owner is the address that the job came from. Throws an IppRefusal for any other.
 */
function ownJobIn(asked: IppAsked, attributes: Collection): IppJob {
  const job = jobIn(asked, attributes);
  if (job.parts.from !== asked.from) throw new IppRefusal(STATUS.forbidden, 'the job is that of another client');
  return job;
}

/** Whether a job is that of the user who asks, from the address that asks. */
const isMine = ({ from }: IppAsked, attributes: Collection) => {
  const user = nameIn(attributes, 'requesting-user-name', ANONYMOUS);
  return ({ parts }: IppJob) => parts.user === user && parts.from === from;
};

function listed(asked: IppAsked, attributes: Collection): readonly IppJob[] {
  const which = wordIn(attributes, 'which-jobs') ?? 'not-completed';
  if (!['completed', 'not-completed', 'all'].includes(which))
    throw new IppRefusal(STATUS.valuesNotSupported, 'which-jobs is completed, not-completed or all');
  const isWanted = flagIn(attributes, 'my-jobs') === true ? isMine(asked, attributes) : () => true;
  const jobs = asked.queue.jobs.filter(
    (job) => (which === 'all' || (which === 'completed') === job.ended) && isWanted(job),
  );
  const limit = Math.min(MOST_JOBS, Math.max(1, numberIn(attributes, 'limit') ?? MOST_JOBS));
  return (which === 'completed' ? jobs.toReversed() : jobs).slice(0, limit);
}

function jobGroup(asked: IppAsked, job: IppJob, names = new Set(['all']) as ReadonlySet<string>) {
  const { queue, printerUri, startedAt, from } = asked;
  const all = jobAttributes(job, queue, printerUri, startedAt);
  const isWanted = (name: string) =>
    (from === job.parts.from || !PRIVATE.includes(name)) &&
    (names.has(name) || names.has('all') || names.has(name === 'copies' ? 'job-template' : 'job-description'));
  return { tag: GROUP.job, attributes: picked(all, isWanted) };
}

const jobAnswer = (asked: IppAsked, job: IppJob, unsupported: IppAttributes = {}): IppAnswer =>
  withUnsupported([jobGroup(asked, job, new Set(BRIEF))], unsupported);
