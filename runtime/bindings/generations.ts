/**
 * A document on durable storage under two names that are written in turn: the generation before the last is always kept,
 * and each carries a digest, so that the newest that is whole can be told. Nothing here keeps what was read.
 */
import { createHash } from 'node:crypto';
import type { StorageBinding } from './bindings.ts';

export interface Generation {
  /** From 1. */
  readonly number: number;
  /** The document, without number and digest. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What stands under one of the names. */
export interface Found<N extends string> {
  readonly name: N;
  readonly exists: boolean;
  /** As far as it can be read. */
  readonly bytes?: Uint8Array;
  /** Undefined for anything that is not, byte for byte, a document as `encode` makes it. */
  readonly generation?: Generation;
}

/** `{"sha256":"<64 digits>",` and then the rest of the JSON document, which the digest is of, byte for byte. */
export function encode({ number, fields }: Generation): Buffer {
  const rest = Buffer.from(`${JSON.stringify({ generation: number, ...fields }).slice(1)}\n`);
  return Buffer.concat([Buffer.from(head(rest)), rest]);
}

const head = (rest: Uint8Array) => `{"sha256":"${createHash('sha256').update(rest).digest('hex')}",`;
const HEAD_BYTES = head(new Uint8Array()).length;

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

/** Never rejects. */
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
