/** The listener: HTTP requests whose bodies are IPP messages (RFC 8010, 4), each with a document behind its attributes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  charset,
  endOfAttributes,
  GROUP,
  HEAD_BYTES,
  IppError,
  type IppRequest,
  language,
  MOST_ATTRIBUTE_BYTES,
  readRequest,
  text,
  viewOf,
  writeResponse,
} from '../../codecs/ipp.ts';
import { stackOf } from '../../runtime/base/thrown.ts';
import { closeServer } from '../../runtime/http/close.ts';
import { checkHost } from '../../runtime/http/hosts.ts';
import { addressOf } from '../../runtime/http/peer.ts';
import { requestTurnsOf } from '../../runtime/http/request-turns.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { Connections, expectReader } from './connections.ts';
import { answer, type IppAnswer, type IppAsked } from './operations.ts';
import { IppRefusal, STATUS } from './refusal.ts';

/** Also until the first byte of a connection: ipptool opens one for each file that it includes, and asks by it much later. */
const HEADERS_MS = 30_000;
const KEEP_ALIVE_MS = 30_000;
/** Longest time that is waited for so many bytes of a request, however they drip in. */
const STALL_MS = 60_000;
const STALL_BYTES = 16 * 1024;
/** After an answer to a request that was not read to its end, the client gets this time to read it. */
const LINGER_MS = 2000;
/** The part of it that is read at most before it is answered. */
const DRAINED_BYTES = 1024 * 1024;
const TYPE = 'application/ipp';

/** Finds what a path stands for; undefined where it is no printer. */
export type Find = (
  path: string,
  host: string,
) => Pick<IppAsked, 'queue' | 'printerUri' | 'head' | 'printer' | 'identify'> | undefined;

/** A listening server; `close` ends every connection. */
export interface IppServer {
  /** HOST:PORT. */
  readonly text: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts to listen. Rejects where the port cannot be used. */
export async function listen(node: Node, port: number, find: Find): Promise<IppServer> {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    // A document takes as long as its paper does; each wait for a byte of it has its own limit.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 8192,
    noDelay: true,
  });
  const connections = new Connections(server);
  server.on('request', (request, response) => {
    connections.begin(request, response);
    void serve(node, find, request, response).catch((error: unknown) => {
      // A client that left is no failure.
      if (request.errored === null) node.log.warn({ error: stackOf(error) }, 'an IPP request failed');
      request.socket.destroy();
    });
  });
  const address = await node.listening.start(server, node.run.host, port);
  return { text: address.text, port: address.port, close: () => closeServer(server) };
}

async function serve(node: Node, find: Find, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = (status: number, words: string) => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${words}\n`);
    linger(request);
  };
  const { origin } = request.headers;
  if (origin !== undefined || request.headers['sec-fetch-site'] !== undefined)
    return refuse(403, 'web pages print by POST /print of the API');
  try {
    checkHost(request, node.config.get('hosts'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refuse(421, error.detail ?? error.code);
  }
  const [path = ''] = (request.url ?? '').split('?');
  const { localAddress = '', localPort } = request.socket;
  const local = localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
  const found = find(path, request.headers.host ?? local);
  if (found === undefined) return refuse(404, 'there is no such printer');
  if (request.method !== 'POST') return refuse(405, 'an IPP request is a POST');
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== TYPE)
    return refuse(415, `an IPP request is ${TYPE}`);

  const body = new Body(request);
  const head = await body.attributes();
  if (head === undefined || head.length < HEAD_BYTES) return refuse(400, 'the request is cut short, or too long');
  const from = addressOf(request.socket);
  // An answer takes a part of a millisecond, and many ask again and again: others go before.
  const turn = requestTurnsOf(node).begin(from);
  if (turn !== undefined) await turn;
  const { version, requestId, ...answered } = await answerTo(node, head, (message) =>
    answer({ request: message, ...found, from, document: body.rest(), startedAt: node.startedAt }),
  );
  const operation = {
    'attributes-charset': charset('utf-8'),
    'attributes-natural-language': language('en'),
    ...(answered.message !== undefined && { 'status-message': text(answered.message.slice(0, 255)) }),
  };
  const bytes = writeResponse(version, answered.status, requestId, [
    { tag: GROUP.operation, attributes: operation },
    ...answered.groups,
  ]);
  // A client that is refused is still sending: it reads the answer, and asks on by the same connection, when that has come.
  const unread = !(await body.drained());
  response.writeHead(200, {
    'Content-Type': TYPE,
    'Content-Length': bytes.length,
    ...(unread && { Connection: 'close' }),
  });
  response.end(bytes);
  if (unread) linger(request);
  else expectReader(request, response);
}

interface Answered extends IppAnswer {
  readonly version: IppRequest['version'];
  readonly requestId: number;
  readonly message?: string;
}

/** The answer, also to what is no message, or fails. */
async function answerTo(
  node: Node,
  head: Uint8Array,
  run: (message: IppRequest) => Promise<IppAnswer>,
): Promise<Answered> {
  const version = head[0] === 1 ? { major: 1, minor: 1 } : { major: 2, minor: 0 };
  const about = { version, requestId: viewOf(head).getInt32(4) };
  try {
    return { ...about, ...(await run(readRequest(head))) };
  } catch (error) {
    if (error instanceof IppRefusal) return { ...about, status: error.status, groups: [], message: error.message };
    if (error instanceof IppError) return { ...about, status: STATUS.badRequest, groups: [], message: error.message };
    node.log.error({ error: stackOf(error) }, 'an IPP operation failed');
    return { ...about, status: STATUS.internal, groups: [] };
  }
}

/** Lets the client read the answer, though it has not sent all of its request; then the connection ends. */
function linger(request: IncomingMessage): void {
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.socket.once('close', () => clearTimeout(timer));
}

/** The body of a request: the attributes, then what follows them. */
class Body {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #socket: Socket;
  #left: Uint8Array = new Uint8Array();
  /** The time that is left for the bytes that are waited for now, and how many of them came. */
  #waiting = { ms: STALL_MS, bytes: 0 };

  constructor(request: IncomingMessage) {
    this.#chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
    this.#socket = request.socket;
  }

  /** Head and attributes; undefined where they do not end, or are too long. */
  async attributes(): Promise<Uint8Array | undefined> {
    let held = new Uint8Array(1024);
    let [length, from] = [0, HEAD_BYTES];
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
      if (length + chunk.length > held.length) {
        const larger = new Uint8Array(Math.max(2 * held.length, length + chunk.length));
        larger.set(held.subarray(0, length));
        held = larger;
      }
      held.set(chunk, length);
      length += chunk.length;
      const { whole, at } = endOfAttributes(held.subarray(0, length), from);
      if (whole && at <= MOST_ATTRIBUTE_BYTES) {
        this.#left = held.subarray(at, length);
        return held.subarray(0, at);
      }
      if (length > MOST_ATTRIBUTE_BYTES) return undefined;
      from = at;
    }
    return undefined;
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#left.length > 0) yield this.#left;
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk;
  }

  /** Reads on and drops what comes. Resolves to whether that was all of it: it is not where it is long, or slow. */
  async drained(): Promise<boolean> {
    const until = performance.now() + LINGER_MS;
    for (let left = DRAINED_BYTES; left > 0 && performance.now() < until; ) {
      const bytes = await this.#dropped();
      if (bytes === 'all') return true;
      if (bytes === 'late') return false;
      left -= bytes;
    }
    return false;
  }

  /** Drops the next bytes that come; gives how many these are. */
  async #dropped(): Promise<number | 'all' | 'late'> {
    const over = new AbortController();
    const late = delay(LINGER_MS, 'late' as const, { ref: false, signal: over.signal }).catch(() => 'late' as const);
    try {
      // Of their number: a race holds what it came to for as long as the other one runs.
      return await Promise.race([this.#next().then((chunk) => chunk?.length ?? ('all' as const)), late]);
    } finally {
      over.abort();
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const began = performance.now();
    const timer = setTimeout(() => this.#socket.destroy(), this.#waiting.ms);
    try {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      const { ms, bytes } = this.#waiting;
      const came = bytes + value.length;
      this.#waiting =
        came < STALL_BYTES ? { ms: ms - (performance.now() - began), bytes: came } : { ms: STALL_MS, bytes: 0 };
      return value;
    } finally {
      clearTimeout(timer);
    }
  }
}
