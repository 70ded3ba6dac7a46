/**
 * A JSON document that is stored in two copies, written alternately: the previous generation is always kept. Each copy
 * has a number and a SHA-256 digest, so that the newest valid one can be found.
 */
import { createHash } from 'node:crypto';
import type { StorageBinding } from './storage.ts';

/** One version of the document. */
export interface Generation {
  /** Counts versions, from 1. */
  readonly number: number;
  /** The document, without number and digest. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The result of reading one of the two names. */
export interface Found<N extends string> {
  readonly name: N;
  readonly exists: boolean;
  /** The raw content; absent if it cannot be read. */
  readonly bytes?: Uint8Array;
  /** The valid document; absent if the content is not exactly what `encode` writes. */
  readonly generation?: Generation;
}

/** The JSON document as bytes: `{"sha256":"<64 digits>",`, then the rest of it, of which this is the digest. */
export function encode({ number, fields }: Generation): Buffer {
  const rest = Buffer.from(`${JSON.stringify({ generation: number, ...fields }).slice(1)}\n`);
  return Buffer.concat([Buffer.from(head(rest)), rest]);
}

const head = (rest: Uint8Array) => `{"sha256":"${createHash('sha256').update(rest).digest('hex')}",`;
const HEAD_BYTES = '{"sha256":"",'.length + 64;

function decode(bytes: Uint8Array): Generation | undefined {
  const document = Buffer.from(bytes);
  if (document.toString('latin1', 0, HEAD_BYTES) !== head(document.subarray(HEAD_BYTES))) return undefined;
  try {
    const { sha256: _, generation, ...fields } = JSON.parse(document.toString()) as Record<string, unknown>;
    if (!Number.isSafeInteger(generation) || (generation as number) < 1) return undefined;
    return { number: generation as number, fields };
  } catch {
    return undefined;
  }
}

/** Reads one of the two names. Never rejects: a failed read gives `exists: true` without content. */
export async function load<N extends string>(storage: StorageBinding, name: N): Promise<Found<N>> {
  try {
    const bytes = await storage.read(name);
    if (bytes === undefined) return { name, exists: false };
    const generation = decode(bytes);
    return generation === undefined ? { name, exists: true, bytes } : { name, exists: true, bytes, generation };
  } catch {
    return { name, exists: true };
  }
}
