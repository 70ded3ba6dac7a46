/** Star's CloudPRNT ("Star CloudPRNT Protocol Guide" 2.4): POST asks, GET fetches the job, DELETE says what came of it. */
import { createHash } from 'node:crypto';
import { defined } from '../base/defined.ts';
import { cloudprntCommands, jobMark, jobMarkOfBefore, MEDIA_TYPES, mediaTypeOf } from './cloudprnt-jobs.ts';
import type { Journal, Outcome, PulledJob } from './journal.ts';
import type { Moment } from './machine.ts';
import type { Protocol } from './poll.ts';
import { errorOf, type PrinterState } from './printing.ts';
import { type Server, ServerFault } from './server.ts';

export interface CloudprntOptions {
  readonly url: URL;
  /** The `uniqueID`, unless the server sets another. */
  readonly id: string;
  /** The `printerMAC`; undefined: made of the id. */
  readonly mac?: string | undefined;
  readonly everyMs: number;
  readonly state: () => Promise<PrinterState | undefined>;
  readonly log: (words: string) => void;
}

/** What an answer to a poll says, as far as it is used. */
interface Offer {
  readonly jobReady: boolean;
  /** The server says that it has no job. */
  readonly isIdle: boolean;
  readonly token: string | undefined;
  readonly mediaTypes: readonly string[];
  /** DELETE, unless the server asks for GET with `delete`. */
  readonly method: 'GET' | 'DELETE';
  /** Where the job is fetched and given back, where that is not where it is asked for. */
  readonly urls: Readonly<Record<'get' | 'confirmation', string | undefined>>;
  readonly actions: readonly { readonly request: string; readonly options: string }[];
}

const UTF8 = new TextDecoder();
/** Rounds of client actions in one poll. */
const MOST_ROUNDS = 4;
const MOST_ACTIONS = 16;
const MOST_TOKEN = 512;
const MOST_URL = 2048;
/** Longest answer to a poll, which has no job in it. */
const OFFER_BYTES = 64 * 1024;
/** A server may hide a job for so long that it has offered, and say that it has none, before it offers it again. */
const HIDDEN_MS = 60_000;
const DOTS_PER_MM = '8';
/** Characters of Font A across 80 mm paper, 12 dots each. */
const COLUMNS = 48;
const COLUMN_DOTS = 12;

/** The protocol for one server. */
export function cloudprnt(server: Pick<Server, 'request'>, journal: Journal, options: CloudprntOptions): Protocol {
  const { url, state, everyMs, log } = options;
  const id = () => journal.name ?? options.id;
  const mac = options.mac ?? macOf(options.id, url);
  // Many servers know printers by it alone.
  log(`it asks as printerMAC ${mac}, uniqueID ${id()}`);
  // Nobody knows what the server has instead of the job of an earlier start.
  for (const job of [...journal.open(), ...journal.unreported()]) if (job.isToken !== true) journal.tell(job);
  /** Since when the server says that it has no job, by the key of one of which it may not have heard. */
  const idleSince = new Map<string, Moment>();
  let isTold = false;
  let lastContent = '';
  const isIdleFor = ({ key }: PulledJob): boolean => {
    const since = idleSince.get(key) ?? journal.now;
    idleSince.set(key, since);
    const isOver = (journal.ageMs(since) ?? HIDDEN_MS) >= HIDDEN_MS;
    if (isOver) idleSince.delete(key);
    return isOver;
  };
  /** A job stays with the server, as the printer could not print it: it comes again. */
  let isLeft = false;
  /** How often in a row a job could not be fetched. */
  let failed = { token: '', times: 0 };

  const withQuery = (query: Readonly<Record<string, string | undefined>>, place: string | undefined): URL => {
    const whole = new URL(place ?? url);
    for (const [name, value] of Object.entries({ uid: id(), mac, ...query }))
      if (value !== undefined) whole.searchParams.set(name, value);
    return whole;
  };

  const postPoll = async (seen: PrinterState | undefined, results: readonly object[]): Promise<Offer> => {
    const status = {
      status: starStatusOf(seen),
      statusCode: encodeURIComponent(statusOf(seen)),
      printerMAC: mac,
      uniqueID: id(),
      printingInProgress: false,
      clientAction: results.length > 0 ? results : null,
    };
    const headers = { 'Content-Type': 'application/json' };
    const asked = { url, headers, body: JSON.stringify(status), limitBytes: OFFER_BYTES };
    const { body } = await server.request('POST', asked);
    // It may stay like this for ever, with receipts waiting.
    if (body.length === 0 && !isTold)
      log('the server answers a poll with nothing, as some do to a printerMAC that they do not take (--mac)');
    isTold ||= body.length === 0;
    return offerIn(body, url);
  };

  const act = ({ request, options: value }: Offer['actions'][number], seen: PrinterState | undefined) => {
    if (request === 'SetID' && /^[ -~]{1,64}$/.test(value) && value !== journal.name) journal.name = value;
    const results: Readonly<Record<string, unknown>> = {
      ClientType: 'tillnode',
      ClientVersion: '1.0.0',
      Encodings: MEDIA_TYPES.join('; '),
      GetPollInterval: String(everyMs / 1000),
      PageInfo: pageOf(seen),
      SetID: id(),
    };
    const isKnown = Object.hasOwn(results, request);
    if (!isKnown) log(`the server asks for ${request.slice(0, 64)}, which is not known here`);
    return { request, result: isKnown ? results[request] : '' };
  };

  const confirm = async (code: string, { method, token, place }: Confirming) => {
    const query = { code, token, ...(method === 'GET' && { delete: '' }) };
    await server.request(method, { url: withQuery(query, place) }).catch((error: unknown) => {
      // It has forgotten the job, so it was told before.
      if (!(error instanceof ServerFault) || (error.status !== 404 && error.status !== 410)) throw error;
    });
  };

  const fetchJob = async (offer: Offer, seen: PrinterState | undefined): Promise<boolean> => {
    const { token, method, urls } = offer;
    // The server has not heard what came of it: that is told before all else, and is no fault of a job that it no longer hands out.
    if (token !== undefined && journal.isOpen(token)) return false;
    const confirming = { method, token, place: urls.confirmation };
    const type = offer.mediaTypes.find((each) => MEDIA_TYPES.includes(mediaTypeOf(each)));
    // A server that names none sends what it prefers.
    if (type === undefined && offer.mediaTypes.length > 0) {
      const types = offer.mediaTypes.join(', ').slice(0, 120);
      log(`a job cannot be printed: ${types}; known here are ${MEDIA_TYPES.join(', ')}`);
      await confirm(`510 Incompatible media type: ${types}`, confirming);
      return false;
    }
    const page = pageOf(seen);
    const headers = {
      Accept: MEDIA_TYPES.join(', '),
      'X-Star-Paper-Width': page.paperWidth,
      'X-Star-Print-Width': page.printWidth,
      'X-Star-Horizontal-Resolution': page.horizontalResolution,
      'X-Star-Vertical-Resolution': page.verticalResolution,
      'X-Star-Accept-Codepages': 'utf8',
    };
    const got = await server
      .request('GET', { url: withQuery({ type, token }, urls.get), headers })
      .catch(async (error: unknown) => {
        if (!(error instanceof ServerFault)) throw error;
        const job = token ?? '';
        failed = { token: job, times: failed.token === job ? failed.times + 1 : 1 };
        const code = fetchCodeOf(error, failed.times);
        if (code !== undefined) {
          failed.times = 0;
          await confirm(`${code}: ${error.message}`.slice(0, MOST_CODE), confirming);
        }
        throw error;
      });
    failed.times = 0;
    if (got.status === 204 || mediaTypeOf(got.headers['content-type']) === 'application/json')
      throw new ServerFault(`the server sent ${got.status === 204 ? 'nothing' : 'JSON'} in place of the job`);
    // Some servers leave out what they were asked for.
    const isUntyped = type !== undefined && (got.headers['content-type'] ?? '') === '';
    if (isUntyped) log(`the server sent a job without Content-Type: it is taken for ${type}, which was asked for`);
    const head = isUntyped ? { ...got.headers, 'content-type': type } : got.headers;
    const commands = await cloudprntCommands(head, got.body, dotsOf(seen), log);
    const about = defined(confirming);
    const content = jobMark(got.headers, got.body);
    // It is the same job on any paper.
    const names = { id: token ?? content, nameless: token === undefined, isToken: token !== undefined, print: content };
    const told = token === undefined ? journal.unreported().filter(({ telling }) => telling) : [];
    const marks = [content, jobMarkOfBefore(got.body)];
    for (const job of told) {
      const isStillThere = marks.includes(job.id ?? '');
      // The server has not heard of it.
      if (isStillThere) await confirm(codeOf(job.outcome ?? {}), confirming);
      journal.markReported(job);
      idleSince.delete(job.key);
      if (isStillThere) return true;
    }
    const isNew = journal.take([{ ...names, about, commands }]) > 0;
    // One without a token may be the same that the server did not take back: it is printed again, but not without end at once.
    const isRepeated = token === undefined && content === lastContent;
    lastContent = content;
    return isNew && !isRepeated && !isLeft;
  };

  return {
    async report(jobs) {
      for (const job of jobs) {
        const { about, outcome = {} } = job;
        // As a Star printer, it gives no job back that only the printer could not print now: that comes again.
        const isLater = outcome.inDoubt !== true && LATER.test(outcome.error ?? '');
        isLeft ||= isLater;
        const method = about?.['method'] === 'GET' ? 'GET' : 'DELETE';
        const token = about?.['token'];
        if (!isLater && token === undefined) {
          // A confirmation without a token takes whatever is first there now: `ask` looks whether that is still this one.
          if (job.telling === true) continue;
          journal.tell(job);
        }
        if (!isLater) await confirm(codeOf(outcome), { method, token, place: about?.['place'] });
        journal.markReported(job);
      }
    },
    async ask() {
      const more = await asked();
      isLeft = false;
      return more;
    },
  };

  async function asked(): Promise<boolean> {
    const seen = await state().catch(() => undefined);
    let offer = await postPoll(seen, []);
    const acted = offer.actions.length > 0;
    for (let round = 0; offer.actions.length > 0 && round < MOST_ROUNDS; round += 1)
      offer = await postPoll(
        seen,
        offer.actions.map((action) => act(action, seen)),
      );
    // As a Star printer, it fetches no job that it cannot print now.
    if (errorOf(seen) !== undefined || seen?.online !== true) return false;
    // It has none for a while, so it has heard of the last; unless it first wants to know what printer this is.
    if (offer.isIdle && !acted)
      for (const job of journal.unreported())
        if (job.telling && job.about?.['token'] === undefined && isIdleFor(job)) journal.markReported(job);
    if (!offer.jobReady) return false;
    return fetchJob(offer, seen);
  }
}

/** How the server is told what came of a job. */
interface Confirming {
  readonly method: Offer['method'];
  readonly token: string | undefined;
  /** A URL, where it is not that of the server. */
  readonly place: string | undefined;
}

/** Reads an answer to a poll of `url`. Throws a ServerFault where it is none. */
function offerIn(body: Uint8Array, url: URL): Offer {
  const text = UTF8.decode(body);
  let answer: unknown;
  try {
    answer = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new ServerFault('the answer is not JSON');
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new ServerFault('the answer is no JSON object');
  const fields = answer as Readonly<Record<string, unknown>>;
  const { jobReady, jobToken, mediaTypes, mediaType, deleteMethod, clientAction } = fields;
  const types = Array.isArray(mediaTypes) ? mediaTypes : [mediaType];
  const actions = Array.isArray(clientAction) ? clientAction : [clientAction];
  if (typeof jobToken === 'string' && jobToken.length > MOST_TOKEN) throw new ServerFault('the jobToken is too long');
  if (typeof jobToken === 'object' && jobToken !== null) throw new ServerFault('the jobToken is no text');
  return {
    isIdle: jobReady === false || jobReady === 0 || /^(false|0)$/i.test(typeof jobReady === 'string' ? jobReady : ''),
    // Some servers write all that they know as text, or as a number.
    jobReady: jobReady === true || jobReady === 1 || /^(true|1)$/i.test(typeof jobReady === 'string' ? jobReady : ''),
    token:
      (typeof jobToken === 'string' || typeof jobToken === 'number' ? wholeToken(jobToken, text) : '') || undefined,
    mediaTypes: types
      .filter((each): each is string => typeof each === 'string' && /^[ -~]{1,128}$/.test(each))
      .slice(0, 32),
    method: typeof deleteMethod === 'string' && deleteMethod.toUpperCase() === 'GET' ? 'GET' : 'DELETE',
    urls: {
      get: placeOf('jobGetUrl', fields['jobGetUrl'], url),
      confirmation: placeOf('jobConfirmationUrl', fields['jobConfirmationUrl'], url),
    },
    actions: actions.slice(0, MOST_ACTIONS).flatMap((each: unknown) => {
      const { request, options } = (each ?? {}) as Readonly<Record<string, unknown>>;
      return typeof request === 'string' ? [{ request, options: typeof options === 'string' ? options : '' }] : [];
    }),
  };
}

/** Another URL of a server: of its own origin, or by https, as nothing of the shop's network is to be reached by it. */
function placeOf(name: string, value: unknown, { href, origin }: URL): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const place = value.length <= MOST_URL && URL.canParse(value, href) ? new URL(value, href) : undefined;
  const isKnown = place !== undefined && (place.origin === origin || place.protocol === 'https:');
  if (!isKnown || place.username !== '' || place.password !== '')
    throw new ServerFault(`${name} is neither of the server nor https, or has a user and password`);
  return place.href;
}

/** A token as it stands in the answer: a number of 64 bits is another one when it is read. */
const wholeToken = (token: string | number, answer: string): string =>
  Array.from(answer.matchAll(/"jobToken"\s*:\s*(-?\d+)/g), ([, digits = '']) => digits).find(
    (digits) => Number(digits) === token,
  ) ?? String(token);

/** Printer Status Codes of the protocol, with words. */
function statusOf(state: PrinterState | undefined): string {
  if (state === undefined) return '400 No printer';
  if (state.coverOpen) return '420 Cover open';
  if (state.paperOut) return '410 Out of paper';
  if (!state.online) return '400 Printer offline';
  return state.paperLow === true ? '211 Paper low' : '200 OK';
}

/**
 * The status bytes that Star's printers have in each poll, in hexadecimal: optional by the guide, and Star's own plugin for WooCommerce does
 * not look at a poll without them. Two bytes of a head, then seven of the printer (Automatic Status Back): in the first of these the
 * cover (20) and off line (08), in the fourth the end of the paper (08) and that it is near (04).
 */
function starStatusOf(state: PrinterState | undefined): string {
  const first = (state?.coverOpen ? 0x20 : 0) | (state?.online ? 0 : 0x08);
  const fourth = (state?.paperOut ? 0x08 : 0) | (state?.paperLow ? 0x04 : 0);
  return [0x23, 6, first, 0, 0, fourth, 0, 0, 0].map((byte) => `${byte.toString(16)} `).join('');
}

function codeOf({ error, detail, inDoubt }: Outcome): string {
  if (error === undefined) return '200 OK';
  const words = (detail ?? error).slice(0, 120);
  if (inDoubt) return `400 In doubt: ${words}`;
  const code = CODES[error] ?? '400 Printer error';
  return `${code}: ${words}`;
}

/** Errors of the printer, or of the way to it, and not of the job. */
const LATER = /^(cover_open|paper_out|no_printer|no_drawer|unknown_endpoint|api_locked)$/;
const TOO_LARGE = '521 Job too large';
const MOST_CODE = 160;
/** Answers to a GET that are about the job; others but those of `PASSING` are told as the guide has it for all but 200. */
const FETCH_CODES: Readonly<Record<number, string | undefined>> = {
  406: '510 Incompatible media type',
  413: TOO_LARGE,
  415: '510 Incompatible media type',
};
/** About the server, or of a proxy before it: the job stays there, and is fetched again. */
const PASSING = /^(0|400|401|403|408|429|5\d\d)$/;
/** Fetches of one job in a row that fail; then the jobs behind it have their turn. */
const MOST_FETCHES = 5;

/** What is told of a job that could not be fetched, so many times in a row; undefined: nothing yet. */
function fetchCodeOf({ status, isTooLarge }: ServerFault, times: number): string | undefined {
  if (isTooLarge) return TOO_LARGE;
  return FETCH_CODES[status] ?? (PASSING.test(String(status)) && times < MOST_FETCHES ? undefined : '520 Timeout');
}

const CODES: Readonly<Record<string, string | undefined>> = {
  media_type: '510 Incompatible media type',
  invalid_command: '511 Media decoding error',
  unsupported_line_type: '511 Media decoding error',
  render_too_large: TOO_LARGE,
  stale: '520 Timeout',
};

const dotsOf = (state: PrinterState | undefined): number =>
  state?.layoutDots ?? Math.min(state?.columns ?? COLUMNS, state?.layoutColumns ?? COLUMNS) * COLUMN_DOTS;

/** The paper, as the protocol has it: in millimetres, as text. */
function pageOf(state: PrinterState | undefined) {
  const dots = dotsOf(state);
  const size = { horizontalResolution: DOTS_PER_MM, verticalResolution: DOTS_PER_MM };
  return { paperWidth: dots > 400 ? '80' : '58', printWidth: String(Math.round(dots / 8)), ...size };
}

/** A MAC address of its own, locally administered (IEEE 802, 8.2.2), the same at each start. */
function macOf(id: string, { host }: URL): string {
  const bytes = createHash('sha256').update(`${id} ${host}`).digest().subarray(0, 6);
  bytes[0] = ((bytes[0] ?? 0) & 0xfc) | 2;
  return bytes.toString('hex').replace(/(..)(?!$)/g, '$1:');
}
