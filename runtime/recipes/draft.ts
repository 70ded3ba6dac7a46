/** Drafts a recipe row for a device that has none, from another row of the same vendor or of a similar device. */
import { basename } from 'node:path';
import type { Parsed } from '../../codecs/codec.ts';
import type { PlacedRow } from './files.ts';
import type { Codecs, RecipeRow } from './row.ts';

interface DeviceIds {
  readonly vendorId: string;
  readonly productId: string;
}

/** What the author knows: maker, model, kind, and the ids of a device with a row that may fit (product `*`: any). */
export interface DraftWords {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  readonly kind?: string | undefined;
  readonly like?: DeviceIds | undefined;
}

/** A drafted row, and the file that it belongs in. */
export interface Draft {
  readonly row: Omit<RecipeRow, 'make'>;
  /** The maker whose file it belongs in; undefined if unknown. */
  readonly maker: string | undefined;
  /** Path of that file; undefined if it does not exist. */
  readonly path: string | undefined;
}

/**
 * Drafts a row: kind and codec of the row it is modelled on, its options only if `like` is given. `placed`: all rows; `codecs`:
 * those of the rooms at hand. Where nothing says the kind, it is the one that most rows have.
 * Fails, with the reason, if the device has a row, if the `like` device has none with a codec or is of another kind, or
 * if no codec is for this kind.
 */
export function draftOf(
  { vendorId, productId }: DeviceIds,
  placed: readonly PlacedRow[],
  codecs: Codecs,
  { make, model = 'MODEL', kind: asked, like }: DraftWords = {},
): Parsed<Draft> {
  const known = rowsOf({ vendorId, productId }, placed).find(({ row }) => row.match === undefined);
  if (known !== undefined)
    return { ok: false, reason: `${vendorId}:${productId} has a row: ${known.row.id} (${known.path}:${known.line})` };
  const ofVendor = placed.filter(({ row }) => row.vendorId === vendorId);
  const driven = (like === undefined ? ofVendor : rowsLike(like, placed)).filter(({ row }) => row.codec !== undefined);
  const pattern = driven.find(({ row }) => asked === undefined || row.kind === asked)?.row;
  if (like !== undefined && pattern === undefined) {
    const other = driven[0]?.row;
    const why = other === undefined ? 'has no row that drives it' : `is a ${other.kind}: ${other.id}`;
    return { ok: false, reason: `${like.vendorId}:${like.productId} ${why}` };
  }
  const kind = pattern?.kind ?? asked ?? usualKind(placed, codecs);
  const codec = pattern?.codec ?? codecsOf(kind, codecs)[0];
  if (codec === undefined) {
    const kinds = new Set([...codecs.values()].map((each) => each.kind));
    return { ok: false, reason: `${kind}: a kind is one of ${[...kinds].join(', ')}` };
  }
  const isInFile = ({ path }: PlacedRow) => basename(path, '.json') === nameOf(make ?? '');
  const [first] = make === undefined ? ofVendor : placed.filter(isInFile);
  const file = first === undefined ? nameOf(make ?? 'maker') : basename(first.path, '.json');
  const row = {
    ...{ id: `${file}-${productId}`, vendorId, productId },
    ...{ model, kind, codec, options: like === undefined ? {} : (pattern?.options ?? {}) },
    ...{ confidence: 'medium' as const, source: sourceOf(like) },
  };
  return { ok: true, value: { row, maker: make ?? first?.row.make, path: first?.path } };
}

const rowsOf = (ids: DeviceIds, placed: readonly PlacedRow[]) =>
  placed.filter(({ row }) => row.vendorId === ids.vendorId && row.productId === ids.productId);

/** The rows for this product; where it has none, those for every product of its vendor. */
function rowsLike(ids: DeviceIds, placed: readonly PlacedRow[]): readonly PlacedRow[] {
  const own = rowsOf(ids, placed);
  return own.length > 0 ? own : rowsOf({ ...ids, productId: '*' }, placed);
}

/** The kind that most of these rows have; of equally many, and without rows, the first. */
function usualKind(placed: readonly PlacedRow[], codecs: Codecs): string {
  const kinds = [...placed.map(({ row }) => row.kind), ...[...codecs.values()].map(({ kind }) => kind)];
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return kinds.find((kind) => counts.get(kind) === most) ?? '';
}

/** The codecs that drive devices of this kind, by name; the first is the one that most of them speak. */
export const codecsOf = (kind: string, codecs: Codecs): string[] =>
  [...codecs.values()].filter((codec) => codec.kind === kind).map(({ name }) => name);

/** The field `source`: the ids are read from a device; options of another device are an assumption. */
const sourceOf = (like: DeviceIds | undefined) =>
  like === undefined ? 'ids measured' : `ids measured, options assumed: those of ${like.vendorId}:${like.productId}`;

/** The name of a maker's file, without `.json`. */
export const nameOf = (maker: string) =>
  maker
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
