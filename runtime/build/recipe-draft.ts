/** Drafts a recipe row for a device that has none, from another row of the same vendor or of a similar device. */
import { basename } from 'node:path';
import type { Parsed } from '../../codecs/codec.ts';
import type { RecipeRow } from '../kernel/recipes.ts';
import type { PlacedRow } from './recipe-files.ts';

interface DeviceIds {
  readonly vendorId: string;
  readonly productId: string;
}

/** What the author knows: maker, model, and the ids of a device with a row that may fit. */
export interface DraftWords {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
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
 * Drafts a row: kind and codec of the row it is modelled on, its options only if `like` is given. `placed`: all rows.
 * Fails, with the reason, if the device has a row or the `like` device has none with a codec.
 */
export function draftOf(
  { vendorId, productId }: DeviceIds,
  placed: readonly PlacedRow[],
  { make, model = 'MODEL', like }: DraftWords = {},
): Parsed<Draft> {
  const isOf = (ids: DeviceIds) => (each: PlacedRow) =>
    each.row.vendorId === ids.vendorId && each.row.productId === ids.productId;
  const known = placed.find((each) => isOf({ vendorId, productId })(each) && each.row.match === undefined);
  if (known !== undefined)
    return { ok: false, reason: `${vendorId}:${productId} has a row: ${known.row.id} (${known.path}:${known.line})` };
  const ofVendor = placed.filter(({ row }) => row.vendorId === vendorId);
  const alike = like === undefined ? ofVendor : placed.filter(isOf(like));
  const pattern = alike.find(({ row }) => row.codec !== undefined)?.row;
  if (like !== undefined && pattern === undefined)
    return { ok: false, reason: `${like.vendorId}:${like.productId} has no row that drives it` };
  const { kind = 'printer', codec = 'escpos' } = pattern ?? {};
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

/** The field `source`: the ids are read from a device; options of another device are an assumption. */
const sourceOf = (like: DeviceIds | undefined) =>
  like === undefined ? 'ids measured' : `ids measured, options assumed: those of ${like.vendorId}:${like.productId}`;

/** The name of a maker's file, without `.json`. */
export const nameOf = (maker: string) =>
  maker
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
