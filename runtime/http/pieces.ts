/**
 * Reads a connection in small pieces. Node parses all that it has read at once, up to 64 KiB, which may be thousands of
 * requests: while it does so nobody else is served, and each of them takes memory until it is answered. What was read waits
 * here, one read of it at most: no more is read before all of it was parsed, so TCP slows down the client (back-pressure).
 */
import type { Socket } from 'node:net';

const PIECE_BYTES = 512;
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

/**
 * From now on pieces are given to the parser only while `mayRead`; else what comes begins a request. `bodyOf`: the length of the body that follows, in bytes,
 * where the last piece was the end of a header that declares it.
 */
export function readInPieces(socket: Socket, mayRead: () => boolean, bodyOf: () => number): Pieces {
  // The parser reads from the system by itself until somebody else listens.
  socket.on('data', () => {});
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  let held = NOTHING;
  let hasEnded = false;
  /** Bytes of a body that are still to come: no request begins among them. */
  let body = 0;
  /** Whether the socket asked for more than is held. */
  let isWanted = false;
  const give = () => {
    // Node pauses a socket while the reader of a body has enough.
    while (held.length > 0 && mayRead() && !socket.isPaused() && !socket.destroyed) {
      const piece = held.subarray(0, body > 0 ? body : pieceOf(held));
      held = held.subarray(piece.length);
      body = Math.max(0, body - piece.length);
      push(piece);
      if (body === 0) body = bodyOf();
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

/** Bytes of the next piece: no more than one request without a body. */
function pieceOf(held: Buffer): number {
  const end = held.subarray(0, PIECE_BYTES).indexOf(END_OF_HEADER);
  return end < 0 ? PIECE_BYTES : end + END_OF_HEADER.length;
}

/** What follows empty lines, which are ignored before a request (RFC 9112, 2.2). */
function withoutEmptyLines(held: Buffer): Buffer {
  let at = 0;
  while (held[at] === CR || held[at] === LF) at += 1;
  return at === 0 ? held : held.subarray(at);
}
