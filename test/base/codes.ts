/** The codes that contracts offer to choose from. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AS_THEY_ARE } from './code-words.ts';

/** A choice of a contract: its codes, and the places in the contract that offer just these. */
export interface Choice {
  readonly codes: readonly string[];
  readonly places: readonly string[];
}

/** Parts of a schema that are no names of fields. */
const KEYWORDS = /^(properties|items|anyOf|oneOf|allOf|patternProperties|\d+)$/;

/** Choices of texts at whatever depth, as [place, codes]. A constant that stands alone is no choice, but a name. */
function* offeredIn(schema: unknown, place: string): Generator<readonly [place: string, codes: readonly string[]]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { anyOf, enum: listed } = schema as { readonly anyOf?: unknown; readonly enum?: unknown };
  const constants: unknown[] = Array.isArray(anyOf) ? anyOf.map((each: { const?: unknown }) => each.const) : [];
  const values: unknown[] = [...constants, ...(Array.isArray(listed) ? listed : [])];
  const codes = values.filter((value) => typeof value === 'string');
  if (codes.length > 0) yield [place, codes];
  for (const [key, inner] of Object.entries(schema))
    yield* offeredIn(inner, KEYWORDS.test(key) ? place : `${place}.${/^[\w-]+$/.test(key) ? key : '*'}`);
}

/** The choices of a contract, each once; the place of one in `ScaleBlock` is `ScaleBlock.status`. */
export function choicesIn(contract: object): readonly Choice[] {
  const choices = new Map<string, { readonly codes: readonly string[]; readonly places: string[] }>();
  const offered = Object.entries(contract).flatMap(([name, schema]) => [...offeredIn(schema, name)]);
  for (const [place, codes] of offered) {
    const choice = choices.get(codes.join(' ')) ?? { codes, places: [] };
    choices.set(codes.join(' '), choice);
    choice.places.push(place);
  }
  return [...choices.values()];
}

/** Rooms, and parts of the fleet, that have a contract. */
export const contractFolders: readonly string[] = ['plugins', 'runtime'].flatMap((floor) =>
  readdirSync(floor, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!new[\\/]).*[\\/]contract\.ts$/.test(path))
    .map((path) => dirname(join(floor, path))),
);

/** What the contract in this folder exports. */
export const contractOf = async (folder: string): Promise<object> => ({
  ...((await import(pathToFileURL(join(folder, 'contract.ts')).href)) as object),
});

/** The codes of a choice that are to have words: all but those that have a reason to need none. */
export function toldOf(folder: string, { codes, places }: Choice): readonly string[] {
  const needNone = places.flatMap((place) => AS_THEY_ARE[folder]?.[place]?.[0] ?? []);
  return codes.filter((code) => !needNone.some((which) => which.test(code)));
}
