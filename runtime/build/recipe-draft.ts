/** A row to complete for a device that has none, modelled on what the vendor's other products are, or on one it is like. */
import { basename } from 'node:path';
import type { Parsed } from '../../codecs/codec.ts';
import type { RecipeRow } from '../kernel/recipes.ts';
import type { PlacedRow } from './recipe-files.ts';

interface DeviceIds {
  readonly vendorId: string;
  readonly productId: string;
}

export interface DraftWords {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  readonly like?: DeviceIds | undefined;
}

export interface Draft {
  readonly row: Omit<RecipeRow, 'make'>;
  /** Of whose file it is; undefined where nobody knows. */
  readonly maker: string | undefined;
  /** That file, where it is there. */
  readonly path: string | undefined;
}

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

/** Ids are those of a device at hand; options that worked for another one are assumed. */
const sourceOf = (like: DeviceIds | undefined) =>
  like === undefined ? 'ids measured' : `ids measured, options assumed: those of ${like.vendorId}:${like.productId}`;

/** As files are named after their makers. */
export const nameOf = (maker: string) =>
  maker
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
