/** How many images are sent at a time, in all and to one address; the others are told when to come again. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { EVERY_ANSWER, errorBody } from '../../http/envelope.ts';
import { Busy } from '../http/errors.ts';
import { sourceOf } from '../http/source.ts';

const MOST = 64;
/** A shop has one line. */
const OF_ONE = 4;
/** `Retry-After` in seconds: between these. Where others of the same address are served, any time up to a minute. */
const RETRY_SECONDS = 5;
const RETRY_MAX_SECONDS = 300;
const RETRY_OF_ONE_SECONDS = 60;
/** How long one is taken to be served until some were; then as long as those that ended last, of which each counts so much. */
const USUAL_MS = 2000;
const WEIGHT = 1 / 32;
/**
 * A download that got less than this in so long gives way where there is no place: it goes on by `Range`, and whoever has some addresses
 * and patience would hold them all. What it got before does not count: much at once is cheap.
 */
const SLOW_MS = 30_000;
const SLOW_BYTES = 30 * 16 * 1024;
/** How many are told to come for each place that is likely to be free then: some never come. */
const FOR_A_PLACE = 1.25;

/** A download that has a place. */
export interface DownloadPlace {
  /** Notes that it has got so many bytes more. */
  took(bytes: number): void;
  /** Gives the place back, once. */
  leave(): void;
}
interface Download extends DownloadPlace {
  /** When it last had as many bytes as keep a place, or began; and how many it got since. */
  since: number;
  bytes: number;
  readonly giveWay: () => void;
}

/** The downloads that are under way. */
export class Gate {
  readonly #sources = new Map<string, number>();
  /** Downloads, the one that had bytes for its place longest ago first. */
  readonly #downloads = new Set<Download>();
  #usualMs = USUAL_MS;
  /** When the one that was refused last is to come, by `performance.now()`. */
  #due = 0;

  /** Takes a place. `giveWay`: called where another one gets it. Throws Busy where there is none. */
  enter(address: string, giveWay: () => void): DownloadPlace {
    const again = this.refusal(address);
    if (again !== undefined) throw new Busy(DETAIL, again);
    if (this.#downloads.size >= MOST) {
      const slow = this.#slow();
      slow?.leave();
      slow?.giveWay();
    }
    const source = sourceOf(address);
    const began = performance.now();
    const download: Download = {
      since: began,
      bytes: 0,
      giveWay,
      took: (bytes) => {
        download.bytes += bytes;
        if (download.bytes < SLOW_BYTES || !this.#downloads.delete(download)) return;
        download.bytes %= SLOW_BYTES;
        download.since = performance.now();
        this.#downloads.add(download);
      },
      leave: () => {
        if (!this.#downloads.delete(download)) return;
        this.#usualMs += WEIGHT * (performance.now() - began - this.#usualMs);
        const left = (this.#sources.get(source) ?? 1) - 1;
        if (left === 0) this.#sources.delete(source);
        else this.#sources.set(source, left);
      },
    };
    this.#downloads.add(download);
    this.#sources.set(source, (this.#sources.get(source) ?? 0) + 1);
    return download;
  }

  /** In how many seconds to come again where there is no place; undefined where there is one. */
  refusal(address: string, now = performance.now()): number | undefined {
    if ((this.#sources.get(sourceOf(address)) ?? 0) >= OF_ONE)
      return Math.ceil(between(RETRY_SECONDS, RETRY_OF_ONE_SECONDS));
    return this.#downloads.size < MOST || this.#slow(now) !== undefined ? undefined : this.#again(now);
  }

  /** The one that has been slow for longest. */
  #slow(now = performance.now()): Download | undefined {
    const [first] = this.#downloads;
    return first !== undefined && now - first.since >= SLOW_MS ? first : undefined;
  }

  /** Tells those that it refuses to come one after the other, as places become free; where too many wait, at any time. */
  #again(now: number): number {
    this.#due = Math.max(this.#due, now);
    const seconds = RETRY_SECONDS + (this.#due - now) / 1000;
    if (seconds > RETRY_MAX_SECONDS) return Math.ceil(between(RETRY_MAX_SECONDS / 2, RETRY_MAX_SECONDS));
    this.#due += this.#usualMs / MOST / FOR_A_PLACE;
    return Math.ceil(seconds);
  }
}

const between = (least: number, most: number): number => least + Math.random() * (most - least);

const IMAGE = /^\/firmware\/[0-9a-f]{64}$/;
const FIRST_LINE = /^GET \/firmware\/[0-9a-f]{64} HTTP\/1\.1\r\n$/;
const FIRST_LINE_BYTES = 'GET /firmware/ HTTP/1.1\r\n'.length + 64;
const END_OF_HEAD = '\r\n\r\n';
const DETAIL = 'so many downloads are under way';
const REFUSED = Buffer.from(JSON.stringify(errorBody('busy', DETAIL)));

/**
 * Refuses images that have no place before the application is asked: of thousands that come at once nearly all are refused, and what
 * that costs, heartbeats wait for. Their connections are closed, unless they are a proxy's, which has others behind it.
 */
export const gated =
  (gate: Pick<Gate, 'refusal'>, behindProxy: boolean, application: RequestListener): RequestListener =>
  (request, response) => {
    const isImage = request.method === 'GET' && IMAGE.test(request.url ?? '');
    const again = isImage ? gate.refusal(addressOf(request, behindProxy)) : undefined;
    if (again === undefined) return application(request, response);
    response.writeHead(503, fieldsOf(again, behindProxy));
    response.end(REFUSED);
  };

/**
 * The same for the first request of a connection, as a whole answer, before a parser is made for it. Undefined where these bytes are no
 * such request, or more than that, and where a proxy says who asks.
 */
export function refusing(gate: Pick<Gate, 'refusal'>, behindProxy: boolean) {
  return (first: Buffer, address: string): Buffer | undefined => {
    if (behindProxy || !FIRST_LINE.test(first.toString('latin1', 0, FIRST_LINE_BYTES))) return undefined;
    if (first.indexOf(END_OF_HEAD) !== first.length - END_OF_HEAD.length) return undefined;
    const again = gate.refusal(address);
    if (again === undefined) return undefined;
    const fields = Object.entries(fieldsOf(again, false)).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`HTTP/1.1 503 Service Unavailable\r\n${fields.join('')}\r\n`), REFUSED]);
  };
}

const fieldsOf = (again: number, behindProxy: boolean) => ({
  ...EVERY_ANSWER,
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': REFUSED.length,
  'Retry-After': again,
  ...(!behindProxy && { Connection: 'close' }),
});

/** As Koa has it, with one proxy. */
function addressOf({ headers, socket }: IncomingMessage, behindProxy: boolean): string {
  const told = behindProxy ? String(headers['x-forwarded-for'] ?? '') : '';
  return told.slice(told.lastIndexOf(',') + 1).trim() || (socket.remoteAddress ?? '');
}
