/**
 * Reads a connection in small pieces. Node parses all that it has read at once, up to 64 KiB, which may be thousands of
 * requests: while it does so nobody else is served, and each of them takes memory until it is answered. What was read waits
 * here, one read of it at most: no more is read before all of it was parsed, so TCP slows down the client (back-pressure).
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength } from './body.ts';
import type { LoopTurns } from './loop-turns.ts';
import { addressOf } from './peer.ts';

const PIECE_BYTES = 512;
/** Pieces of a body in chunks grow to this while each has few. */
const MOST_PIECE_BYTES = 8192;
const FEW_CHUNKS = 4;
/** What of such a body is parsed in one turn, in bytes: a chunk takes as long as so many more. */
const TURN_BYTES = 65_536;
const CHUNK_BYTES = 96;
const END_OF_HEADER = Buffer.from('\r\n\r\n');
const NOTHING: Buffer = Buffer.alloc(0);
const CR = 13;
const LF = 10;

/** What was read of a connection and not given to the parser. */
export interface Pieces {
  /** Whether it is more than empty lines, where a request is being answered. */
  hasMore(): boolean;
  /** Bytes that are there. */
  size(): number;
  /** To be called when `mayRead` may have changed. */
  readOn(): void;
}

/** What decides how a connection is read. */
export interface Reading {
  /** Whether pieces are given to the parser; else what comes begins a request. */
  mayRead(): boolean;
  /** The request that the parser found last. */
  last(): IncomingMessage | undefined;
  /** Turns for what is parsed of bodies in chunks, on all connections; addresses take turns. */
  readonly turns: LoopTurns;
}

/** Whether the body of a request is in chunks (RFC 9112, 7.1), and not all of it is here. */
export const isInChunks = ({ headers, complete }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined && !complete;

/** From now on a connection is read in pieces. */
export function readInPieces(socket: Socket, { mayRead, last, turns }: Reading): Pieces {
  // The parser reads from the system by itself until somebody else listens.
  socket.on('data', () => {});
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  let held = NOTHING;
  let hasEnded = false;
  /** Bytes of a body that are still to come: no request begins among them. */
  let body = 0;
  let request: IncomingMessage | undefined;
  /** Whether the socket asked for more than is held. */
  let isWanted = false;
  const chunks = new ChunkedBody(turns, addressOf(socket), () => readOn());
  const give = () => {
    // Node pauses a socket while the reader of a body has enough.
    while (held.length > 0 && mayRead() && !socket.isPaused() && !socket.destroyed) {
      const inChunks = chunks.isOf(request);
      if (inChunks && chunks.waits()) break;
      const piece = held.subarray(0, body || pieceOf(held, inChunks ? chunks.pieceBytes : PIECE_BYTES));
      held = held.subarray(piece.length);
      body = Math.max(0, body - piece.length);
      push(piece);
      if (inChunks && !chunks.took(piece.length)) socket.pause();
      const found = last();
      if (found === undefined || found === request) continue;
      request = found;
      body = declaredLength(found);
    }
    if (!mayRead()) held = withoutEmptyLines(held);
    if (hasEnded && held.length === 0) push(null);
    return held.length === 0;
  };
  const readOn = () => {
    if (!give() || !isWanted) return;
    isWanted = false;
    read(0);
  };
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    return give();
  };
  socket._read = (bytes) => {
    if (held.length === 0) read(bytes);
    else isWanted = true;
  };
  socket.on('resume', readOn);
  return { hasMore: () => held.length > 0, size: () => held.length, readOn };
}

/** What of a body in chunks is parsed in a turn, and in a piece. */
class ChunkedBody {
  readonly #turns: LoopTurns;
  readonly #source: string;
  readonly #readOn: () => void;
  #request: IncomingMessage | undefined;
  /** Bytes of the next piece. */
  pieceBytes = PIECE_BYTES;
  /** Chunks that the parser found in this piece. */
  #parsed: Buffer[] = [];
  #push: (chunk: Buffer) => boolean = () => true;
  #leftBytes = TURN_BYTES;
  #next: Promise<void> | undefined;

  constructor(turns: LoopTurns, source: string, readOn: () => void) {
    this.#turns = turns;
    this.#source = source;
    this.#readOn = readOn;
  }

  /** Whether the request that was found last has such a body, and more of it is to come. */
  isOf(request: IncomingMessage | undefined): boolean {
    if (request === undefined || !isInChunks(request)) return false;
    if (request !== this.#request) this.#count(request);
    return true;
  }

  /** Whether its turn is over: it reads on in the next one. */
  waits(): boolean {
    if (this.#leftBytes > 0) return false;
    this.#next ??= this.#turns.next(this.#source).then(() => {
      this.#next = undefined;
      this.#leftBytes = TURN_BYTES;
      this.#readOn();
    });
    return true;
  }

  /** Takes bytes that were parsed off the turn, and gives the request what they had. False where its reader has enough. */
  took(bytes: number): boolean {
    const chunks = this.#parsed.length;
    this.#leftBytes -= bytes + CHUNK_BYTES * chunks;
    this.pieceBytes = chunks > FEW_CHUNKS ? PIECE_BYTES : Math.min(2 * this.pieceBytes, MOST_PIECE_BYTES);
    return this.#give();
  }

  #count(request: IncomingMessage): void {
    this.#request = request;
    this.pieceBytes = PIECE_BYTES;
    const push = request.push.bind(request);
    this.#push = push;
    request.push = (chunk: Buffer | null) => {
      if (chunk === null) {
        this.#give();
        return push(null);
      }
      this.#parsed.push(chunk);
      return true;
    };
  }

  /** Chunks of a piece are one for who reads them, with a copy of its own: each is an object, and keeps all that came with it. */
  #give(): boolean {
    const chunks = this.#parsed;
    const [first] = chunks;
    this.#parsed = [];
    if (first === undefined) return true;
    return this.#push(chunks.length === 1 && first.length > PIECE_BYTES ? first : Buffer.concat(chunks));
  }
}

/** Bytes of the next piece, `most` at most: no more than one request without a body, or the end of a body in chunks. */
function pieceOf(held: Buffer, most: number): number {
  const end = held.subarray(0, most).indexOf(END_OF_HEADER);
  return end < 0 ? most : end + END_OF_HEADER.length;
}

/** What follows empty lines, which are ignored before a request (RFC 9112, 2.2). */
function withoutEmptyLines(held: Buffer): Buffer {
  let at = 0;
  while (held[at] === CR || held[at] === LF) at += 1;
  return at === 0 ? held : held.subarray(at);
}
