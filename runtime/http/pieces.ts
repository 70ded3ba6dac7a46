/**
 * Reads a connection in small pieces. Node parses all that it has read at once, up to 64 KiB, which may be thousands of
 * requests: while it does so nobody else is served, and each of them takes memory until it is answered.
 */
import type { Socket } from 'node:net';

const PIECE_BYTES = 512;
const END_OF_HEADER = Buffer.from('\r\n\r\n');
/** Node may go on to read for a while. */
const HELD_BYTES = 256 * 1024;

/** What was read of a connection and not given to the parser. */
export interface Pieces {
  hasMore(): boolean;
  /** To be called when `mayRead` may have changed. */
  readOn(): void;
}

/** From now on pieces are given to the parser only while `mayRead`. */
export function readInPieces(socket: Socket, mayRead: () => boolean): Pieces {
  // The parser reads from the system by itself until somebody else listens.
  socket.on('data', () => {});
  const push = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  const readOn = () => {
    while (held.length > 0 && mayRead()) {
      const piece = held.subarray(0, pieceOf(held));
      held = held.subarray(piece.length);
      push(piece);
    }
    if (hasEnded && held.length === 0) push(null);
    return held.length === 0;
  };
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    if (held.length > HELD_BYTES) socket.destroy();
    return readOn();
  };
  return { hasMore: () => held.length > 0, readOn };
}

/** Bytes of the next piece: no more than one request without a body. */
function pieceOf(held: Buffer): number {
  const end = held.subarray(0, PIECE_BYTES).indexOf(END_OF_HEADER);
  return end < 0 ? PIECE_BYTES : end + END_OF_HEADER.length;
}
