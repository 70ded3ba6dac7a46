/** What the fleet knows of codecs: those whose options it can check, and those that nodes say they have. */
import { existsSync, readFileSync } from 'node:fs';
import type { CodecDeclaration } from '../../../codecs/codec.ts';
import type { Codecs } from '../../recipes/row.ts';
import type { Queries } from '../database/database.ts';

/** The file with the codecs of the tree that the program was built from, beside the program. */
export const CODECS = 'fleet-codecs.json';

/** Codecs by their names. */
export const codecsNamed = (declared: readonly CodecDeclaration[]): Codecs =>
  new Map(declared.map((codec) => [codec.name, codec]));

/** The codecs that `assembly/beside-cli.ts` wrote to this file; none where a program was put together without it. */
export const readCodecs = (path: string): Codecs =>
  codecsNamed(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []);

/** The codecs that nodes said in their last heartbeats; none where no node says any. */
export async function codecsHeard(on: Queries): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ codec: string }>('SELECT DISTINCT json_array_elements_text(codecs) AS codec FROM node');
  return new Set(rows.map(({ codec }) => codec));
}
