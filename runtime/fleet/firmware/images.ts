/** Images in the database: written piece by piece as they arrive, read piece by piece as they are asked for. */
import { createHash, randomUUID } from 'node:crypto';
import { HEADER_BYTES, ImageFault, type ImageHeader, parseHeader } from '../../image/format.ts';
import type { Database, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { Range } from './range.ts';

/** So much of an image is in memory at a time, for each that is sent or received. */
const PIECE_BYTES = 256 * 1024;
/** The key of pieces whose digest is not known yet. */
const UPLOAD = 'upload-';

/** An image that is in the database. */
export interface StoredImage extends ImageHeader {
  readonly sha256: string;
}

/** Stores an image. Throws a Refusal where the bytes are not one, or end early. Its digest is computed here, once. */
export async function storeImage(database: Database, chunks: AsyncIterable<Uint8Array>): Promise<StoredImage> {
  const key = `${UPLOAD}${randomUUID()}`;
  const hash = createHash('sha256');
  let header: ImageHeader | undefined;
  let length = 0;
  let pieces = 0;
  try {
    for await (const piece of inPieces(chunks)) {
      header ??= headerOf(piece);
      length += piece.length;
      if (length > header.length) throw new Refusal('invalid_request', 'longer than its header says');
      hash.update(piece);
      await database.query('INSERT INTO image_piece (sha256, piece, bytes) VALUES ($1, $2, $3)', [key, pieces, piece]);
      pieces += 1;
    }
    if (header === undefined || length !== header.length)
      throw new Refusal('invalid_request', `${length} bytes arrived, ${header?.length ?? 'more'} were to come`);
    const sha256 = hash.digest('hex');
    await database.transaction(async (on) => {
      // Somebody may upload the same image at the same time.
      await on.query('SELECT pg_advisory_xact_lock(hashtext($1))', [sha256]);
      await on.query('DELETE FROM image_piece WHERE sha256 = $1', [sha256]);
      await on.query('UPDATE image_piece SET sha256 = $2 WHERE sha256 = $1', [key, sha256]);
    });
    return { ...header, sha256 };
  } catch (error) {
    await database.query('DELETE FROM image_piece WHERE sha256 = $1', [key]);
    throw error;
  }
}

function headerOf(piece: Uint8Array): ImageHeader {
  try {
    return parseHeader(piece.subarray(0, HEADER_BYTES));
  } catch (error) {
    if (error instanceof ImageFault) throw new Refusal('invalid_request', error.message);
    throw error;
  }
}

async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    while (length >= PIECE_BYTES) {
      const all = Buffer.concat(held);
      yield all.subarray(0, PIECE_BYTES);
      const rest = all.subarray(PIECE_BYTES);
      held = [rest];
      length = rest.length;
    }
  }
  if (length > 0) yield Buffer.concat(held);
}

/** The bytes of a range of an image, read as they are taken. */
export async function* readImage(on: Queries, sha256: string, { first, last }: Range): AsyncGenerator<Uint8Array> {
  for (let piece = Math.floor(first / PIECE_BYTES); piece * PIECE_BYTES <= last; piece += 1) {
    const [row] = await on.query<{ bytes: Uint8Array }>(
      'SELECT bytes FROM image_piece WHERE sha256 = $1 AND piece = $2',
      [sha256, piece],
    );
    if (row === undefined) throw new Error(`piece ${piece} of ${sha256} is not there`);
    const start = piece * PIECE_BYTES;
    yield row.bytes.subarray(Math.max(0, first - start), last - start + 1);
  }
}

/** Deletes what is left of uploads that broke off a day ago. */
export const forgetUploads = (on: Queries) =>
  on.query(`DELETE FROM image_piece WHERE sha256 LIKE '${UPLOAD}%' AND at < now() - interval '1 day'`);
