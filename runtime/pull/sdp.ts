/** Epson's Server Direct Print: GetRequest, SetResponse and SetStatus as forms, jobs as ePOS-Print XML. */
import { eposCodeOf, eposStatusOf } from '../../codecs/epos-results.ts';
import { type SdpJob, type SdpJobs, type SdpResult, sdpJobs, sdpResponse, sdpStatus } from '../../codecs/epos-sdp.ts';
import { xmlDecoder } from '../../codecs/xml-encoding.ts';
import { CutJobs } from './cut-jobs.ts';
import { fingerprintOf, type Journal, type PlacedJob, type PulledJob, type TakenJob } from './journal.ts';
import type { LongAnswer, Portion } from './long-answer.ts';
import { compiled } from './optimizer.ts';
import type { Protocol } from './poll.ts';
import type { PrinterState } from './printing.ts';
import { type Server, type ServerAnswer, type ServerAsking, ServerFault } from './server.ts';

export interface SdpOptions {
  readonly url: URL;
  /** Where an answer goes that is too long to hold. */
  readonly long: LongAnswer;
  /** What the server knows this printer by (form fields ID and Name). */
  readonly id: string;
  /** Status notifications are sent so often; undefined: never. */
  readonly notifyMs?: number | undefined;
  /** Older jobs are reported, not printed. */
  readonly staleMs: number;
  readonly state: () => Promise<PrinterState | undefined>;
  readonly log: (words: string) => void;
}

const DEVICE = 'local_printer';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
/** Longest answer with jobs that is held in memory: some receipts as images. */
const HELD_BYTES = 256 * 1024;
/** Version of the answers that have ids. */
const WITH_IDS = '2.00';

/** The protocol for one server. */
export function sdp(server: Pick<Server, 'request'>, journal: Journal, options: SdpOptions): Protocol {
  const { url, id, long, notifyMs, staleMs, state, log } = options;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  /** Why the last notification was not taken. */
  let unwanted = '';
  const cutJobs = new CutJobs(journal, staleMs, log);
  /** The last that was told of jobs. */
  let remarked = '';
  const post = (fields: Readonly<Record<string, string>>, overflow?: ServerAsking['overflow']) => {
    const form = new URLSearchParams({ ...fields, ID: id, Name: id });
    const spill = overflow && { overflow, limitBytes: HELD_BYTES };
    return server.request('POST', { url, headers: FORM, body: form.toString(), ...spill });
  };
  const setResponse = async (version: string, results: readonly SdpResult[]) => {
    await post({ ConnectionType: 'SetResponse', ResponseFile: sdpResponse(version, results) });
  };
  const notify = async () => {
    if (notifyMs === undefined || performance.now() - notifiedAt < notifyMs) return;
    notifiedAt = performance.now();
    const seen = await state().catch(() => undefined);
    const status = sdpStatus(DEVICE, eposStatusOf(seen));
    const fault = await post({ ConnectionType: 'SetStatus', Status: status }).then(() => '', messageOfFault);
    // Odoo answers 500 to it, and has jobs all the same.
    if (fault !== '' && fault !== unwanted) log(`the status notification was not taken: ${fault}`);
    unwanted = fault;
  };
  /** Tells the server which jobs of the last answer have found no room on the disk. */
  const tellLost = async () => {
    const lost = long.takeLost();
    if (lost === undefined) return;
    const { version, jobs } = lost;
    log(`the answer does not fit on the disk: ${jobs.length} of its jobs are not printed, and the server is told`);
    const named = jobs.filter((job) => job.id !== undefined);
    try {
      journal.take(takenOf(named, version).map((job) => ({ ...job, commands: { ...NO_ROOM, fault: faultOf(job) } })));
    } catch {
      if (named.length > 0) await setResponse(version, named.map(noRoom));
    }
  };
  /** Asks for jobs. */
  const fetched = async (): Promise<Portion> => {
    const answer = await long.received((overflow) => post({ ConnectionType: 'GetRequest' }, overflow));
    const { fault: cut } = answer;
    await tellLost();
    const read = () => jobsIn(answer);
    const portion = (await long.next()) ?? {
      ...(answer.body.includes('gray16') ? await compiled(read) : read()),
      from: {},
    };
    if (cut === undefined) return portion;
    if (portion.jobs.every(isNameless)) throw new ServerFault(cut);
    log(`the answer is not whole: ${cut}; what is whole of it is printed`);
    return { ...portion, fault: undefined };
  };
  return {
    async report(jobs) {
      // One document has one version.
      const version = jobs[0]?.about?.['version'] ?? WITH_IDS;
      const same = jobs.filter(({ about }) => (about?.['version'] ?? WITH_IDS) === version);
      await setResponse(version, same.map(resultOf));
      for (const job of same) journal.markReported(job);
    },
    async ask() {
      await notify();
      const { version, jobs, fault, from } = (await long.next()) ?? (await fetched());
      if (jobs.length === 0) {
        cutJobs.heard(jobs, true);
        return false;
      }
      if (fault !== undefined) log(`the server sent what cannot be read to its end: ${fault}`);
      for (const { commands } of jobs)
        if ('fault' in commands && commands.fault !== fault)
          log(`the server sent what cannot be printed: ${commands.fault}`);
      for (const { remarks } of jobs) {
        if (remarks !== undefined && remarks !== remarked) log(`printed otherwise than asked for: ${remarks}`);
        remarked = remarks ?? remarked;
      }
      const taken = jobs.filter((job) => !isNameless(job));
      const waits = taken.map((job) => cutJobs.waits(job));
      const kept = takenOf(taken, version)
        .map((job, at) => (waits[at] === true ? { ...job, isHeld: true } : job))
        .filter((_, at) => waits[at] !== 'known');
      let fresh = 0;
      try {
        fresh = journal.take(kept, from);
      } catch (error) {
        // What waits on the disk is not lost until it is too old, and must not be asked for anew.
        const age = from.came && journal.ageMs(from.came);
        if (from.place !== undefined && age !== undefined && age <= staleMs) throw error;
        await setResponse(
          version,
          jobs.map((job) => refused(job, 'PrintSystemError', (error as Error).message)),
        );
        if (from.place !== undefined) journal.pass(from.place);
        throw error;
      }
      cutJobs.heard(jobs, from.place === undefined && !jobs.some(({ isCut }) => isCut));
      const nameless = jobs.filter(isNameless);
      if (nameless.length > 0)
        await setResponse(
          version,
          nameless.map((job) => refused(job, 'SchemaError', faultOf(job))),
        ).catch((error) => {
          if (!(error instanceof ServerFault)) throw error;
        });
      // A server that answers with something else goes on with it.
      if (taken.length === 0) throw new ServerFault(`the server sent no job: ${nameless.map(faultOf)[0]}`);
      return fresh > 0;
    },
  };
}

/** Stands for an answer that cannot be read, or for a job that nobody knows by a name. */
const isNameless = ({ id, commands }: SdpJob): boolean => id === undefined && 'fault' in commands;

/** Never throws, as `sdpJobs`. */
function jobsIn({ headers, body }: ServerAnswer): SdpJobs {
  try {
    const decoder = xmlDecoder(body, headers['content-type']);
    // A document that ends within a character ends within an element, too.
    return sdpJobs(decoder.decode(body));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { version: WITH_IDS, jobs: [{ device: DEVICE, commands: { fault: error.message } }] };
  }
}

function messageOfFault(error: unknown): string {
  if (error instanceof ServerFault) return error.message;
  throw error;
}

const faultOf = ({ commands }: Pick<TakenJob, 'commands'> | Pick<SdpJob, 'commands'>): string =>
  'fault' in commands ? commands.fault : '';

/** Jobs for the journal. One without an id has one of its content, and each copy in the answer another. */
function takenOf(jobs: Portion['jobs'], version: string): PlacedJob[] {
  const copies = new Map<string, number>();
  const copyOf = (what: string) => {
    const copy = (copies.get(what) ?? 0) + 1;
    copies.set(what, copy);
    return copy;
  };
  return jobs.map(({ id, device, commands, remarks, place, document }) => {
    const asked = 'fault' in commands ? { ...commands, code: 'invalid_command' } : commands;
    const content = fingerprintOf(asked);
    // The same for two printers is two jobs.
    const job = {
      about: { version, device, ...(remarks && { remarks }) },
      commands: asked,
      place,
      print: `${content} ${device}`,
      document: document && `${document} ${device}`,
    };
    if (id !== undefined) return { id, ...job };
    // What comes in portions cannot be counted.
    if (place !== undefined) return job;
    const named = document && `${job.document} ${copyOf(`document ${document}`)}`;
    return { ...job, id: `${content} ${copyOf(content)}`, nameless: true, document: named };
  });
}

function resultOf({ id, nameless, about, outcome }: PulledJob): SdpResult {
  const { error, status = eposStatusOf(undefined, error === undefined), detail } = outcome ?? {};
  return {
    id: nameless ? undefined : id,
    device: about?.['device'] ?? DEVICE,
    // One that is too old is not in doubt, as EX_TIMEOUT is: nothing of it was printed.
    code: error === undefined ? '' : eposCodeOf(error),
    status,
    detail: error === undefined ? [about?.['remarks'], detail].filter(Boolean).join('; ') || undefined : detail,
  };
}

/** As a node says it of itself. */
const NO_ROOM = { code: 'persist_failed' };
const noRoom = (job: SdpJob): SdpResult => refused(job, 'PrintSystemError', faultOf(job));
const refused = ({ id, device }: SdpJob, code: SdpResult['code'], detail: string): SdpResult => ({
  ...{ id, device, code, detail },
  status: eposStatusOf(undefined),
});
