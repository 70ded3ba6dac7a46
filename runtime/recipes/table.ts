/**
 * The recipe table: which codec drives a USB device and with which options, or why the device is refused. A row is
 * data: it selects a codec that is compiled into the image and sets options which that codec declares.
 */
import type { CodecDeclaration } from '../../codecs/codec.ts';
import { defined } from '../base/defined.ts';
import { isRecord } from '../base/record.ts';
import { checkRow, type RecipeRow, type WrittenRow } from './row.ts';

/**
 * Where a row comes from: fetched from the cloud, stored from an earlier fetch, part of the image, or (`derived`) made
 * by the node from what the device says of itself.
 */
export type Tier = 'cloud' | 'cached' | 'builtin' | 'derived';

interface Choice {
  readonly codec?: string;
  readonly kind: string;
}

/** What one of two rows says of the options in which they differ. */
interface RowChoice extends Choice {
  readonly id: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A cloud row chooses another codec or kind than the node would (`derived`), or other options than its own row (`builtin`). */
export interface Disagreement {
  readonly derived?: Choice;
  readonly builtin?: RowChoice;
  readonly row: RowChoice;
  /** True: the device is driven as `row` says. False: as `derived`, as the row failed or a person chose otherwise. */
  readonly followed: boolean;
  /** The reason, a sentence for people. */
  readonly reason: string;
}

/** The row that a device is driven by, and where it comes from. */
export interface Resolution {
  readonly row: RecipeRow;
  readonly tier: Tier;
  readonly disagreement?: Disagreement;
}

/** A cloud row that was tried on a device without success, and why. */
export interface PassedOver {
  readonly row: RecipeRow;
  readonly reason: string;
}

type DeviceIds = { readonly vendorId: string; readonly productId: string };

/** What a device says of itself when it is asked, beside its USB descriptors: the fields that its codec `says`. */
export interface Said {
  /** Name of the codec whose language it says that it speaks. */
  readonly codec?: string;
  readonly [field: string]: string | undefined;
}

/** A cloud row that cannot be used. */
export interface RefusedRow {
  readonly index: number;
  readonly id?: string;
  /** `field: what is wrong with it`. */
  readonly reason: string;
}

const MAX_ROWS = 20_000;
/** `productId` of a row for every product of a vendor. */
export const ANY = '*';
const ORDER = ['cloud', 'cached', 'builtin'] as const;
const FOLLOWED = 'rows of the cloud go before what the node works out or knows itself';

/** Whether the row came from the cloud: fetched now, or stored from an earlier fetch. */
export const isOfCloud = (resolution: Resolution | undefined): resolution is Resolution =>
  resolution?.tier === 'cloud' || resolution?.tier === 'cached';

/**
 * The rows of an image: all of them, or what gives those of one vendor (four lower-case hexadecimal digits), which need not be read
 * before a device of that vendor is there.
 */
export type BuiltinRows = readonly RecipeRow[] | ((vendorId: string) => readonly RecipeRow[]);

/** The rows of all tiers, and which of them were skipped for a connected device. */
export class RecipeTable {
  readonly #tiers: Record<'cloud' | 'cached', Index> = { cloud: indexOf([]), cached: indexOf([]) };
  /** By the id of a vendor. */
  readonly #builtin: (vendor: number) => Index;
  /** By the identity object of a connected device: after a reconnect, all rows are tried again. */
  readonly #passedOver = new WeakMap<DeviceIds, PassedOver[]>();

  readonly #codecs: ReadonlyMap<string, CodecDeclaration>;

  /** Names of the codecs that this image has: what a row may name. */
  get codecNames(): string[] {
    return [...this.#codecs.keys()];
  }

  /** `builtin` was checked when the image was built; cloud rows are checked against `codecs`, by name. */
  constructor(builtin: BuiltinRows, codecs: ReadonlyMap<string, CodecDeclaration> = new Map()) {
    this.#codecs = codecs;
    this.#builtin = typeof builtin === 'function' ? byVendor(builtin) : always(indexOf(builtin));
  }

  /**
   * Which of these cloud rows cannot be used, and why. At most 20,000 are checked; more give one entry for the rest.
   */
  refused(rows: readonly unknown[]): RefusedRow[] {
    return this.#judge(rows).refused;
  }

  /**
   * Replaces all rows of a tier. A row that is invalid, or that repeats the id or the device of an earlier row, is
   * refused; the other rows are used.
   */
  replace(tier: 'cloud' | 'cached', rows: readonly unknown[]): { accepted: number; refused: RefusedRow[] } {
    const { accepted, refused } = this.#judge(rows);
    this.#tiers[tier] = indexOf(accepted);
    return { accepted: accepted.length, refused };
  }

  #judge(rows: readonly unknown[]): { accepted: RecipeRow[]; refused: RefusedRow[] } {
    const accepted: RecipeRow[] = [];
    const refused: RefusedRow[] = [];
    const taken = new Set<string>();
    for (const [index, row] of rows.slice(0, MAX_ROWS).entries()) {
      const reason = checkRow(row, this.#codecs) ?? repeated(row as WrittenRow, taken);
      if (reason === undefined) accepted.push({ options: {}, ...(row as WrittenRow) });
      else refused.push({ index, ...named(row), reason });
    }
    if (rows.length > MAX_ROWS) {
      refused.push({ index: MAX_ROWS, reason: `rows: ${rows.length} are more than the ${MAX_ROWS} a tier holds` });
    }
    return { accepted, refused };
  }

  /**
   * The row for a device: of the first tier that has one (cloud, cached, builtin), the most specific row (this product
   * with a match, this product, any product with a match, any product). A tier thus replaces the older ones as a whole:
   * its choice does not depend on their rows. A row with a match does not apply to a device that says nothing. A row
   * that refuses does not apply to a device that names a codec. If no row applies, the result is `derived`, or
   * undefined.
   */
  resolve(identity: DeviceIds, said?: Said, derived?: { readonly row: RecipeRow }): Resolution | undefined {
    return this.#resolve(ORDER, identity, said, derived);
  }

  /** The built-in row for these ids: what the node would use without a cloud. */
  own(identity: DeviceIds): Resolution | undefined {
    return this.#resolve(['builtin'], identity);
  }

  /** Skips a row for this device from now on, because the device could not be driven with it. */
  passOver(identity: DeviceIds, row: RecipeRow, reason: string): void {
    this.#passedOver.set(identity, [...this.passedOver(identity), { row, reason }]);
  }

  /** The rows that are skipped for this device, in the order in which they were tried. */
  passedOver(identity: DeviceIds): readonly PassedOver[] {
    return this.#passedOver.get(identity) ?? [];
  }

  #resolve(
    order: readonly (typeof ORDER)[number][],
    identity: DeviceIds,
    said: Said = SILENT,
    derived?: { readonly row: RecipeRow },
  ): Resolution | undefined {
    const { vendorId, productId } = identity;
    const vendor = Number.parseInt(vendorId, 16);
    const product = keyOf(vendor, Number.parseInt(productId, 16));
    const without = this.passedOver(identity);
    for (const tier of order) {
      const { products, vendors } = tier === 'builtin' ? this.#builtin(vendor) : this.#tiers[tier];
      const row = first(products.get(product), said, without) ?? first(vendors.get(vendor), said, without);
      if (row === undefined) continue;
      if (tier === 'builtin') return { row, tier };
      const own = this.#resolve(['builtin'], identity, said);
      return { row, tier, ...(disagreement(row, derived?.row) ?? this.#otherOptions(row, own?.row)) };
    }
    return derived && { row: derived.row, tier: 'derived' };
  }

  /** Where a cloud row and the one of the image differ in options that decide what comes out. */
  #otherOptions(row: RecipeRow, own: RecipeRow | undefined): Pick<Resolution, 'disagreement'> | undefined {
    const { decisive = {} } = this.#codecs.get(row.codec ?? '') ?? {};
    if (own === undefined || own.codec !== row.codec) return undefined;
    const all = (of: RecipeRow) => ({ ...decisive, ...of.options });
    const [here, there] = [all(own), all(row)];
    const keys = Object.keys(decisive).filter((key) => here[key] !== there[key]);
    if (keys.length === 0) return undefined;
    const said = (of: RecipeRow, values: Readonly<Record<string, unknown>>): RowChoice => ({
      id: of.id,
      ...choice(of),
      options: Object.fromEntries(keys.map((key) => [key, values[key]])),
    });
    return { disagreement: { builtin: said(own, here), row: said(row, there), followed: true, reason: FOLLOWED } };
  }
}

const SILENT: Said = {};

/** A row in a linked list of the rows with the same ids: rows with longer match strings are tried first. */
interface Candidate {
  readonly row: RecipeRow;
  /** Field, and what it must contain, in upper case. */
  readonly wanted: readonly (readonly [field: string, part: string])[];
  readonly next: Candidate | undefined;
}

/** Rows by vendor and product id, and by vendor id alone. Keys are numbers, so that a look-up makes no strings. */
interface Index {
  readonly products: ReadonlyMap<number, Candidate>;
  readonly vendors: ReadonlyMap<number, Candidate>;
}

const keyOf = (vendor: number, product: number) => (vendor << 16) | product;

const always = (index: Index) => (): Index => index;

function byVendor(read: (vendorId: string) => readonly RecipeRow[]): (vendor: number) => Index {
  const known = new Map<number, Index>();
  return (vendor) => {
    const index = known.get(vendor) ?? indexOf(read(vendor.toString(16).padStart(4, '0')));
    known.set(vendor, index);
    return index;
  };
}

function indexOf(rows: readonly RecipeRow[]): Index {
  const products = new Map<number, Candidate>();
  const vendors = new Map<number, Candidate>();
  const length = ({ match = {} }: RecipeRow) => Object.values(match).join('').length;
  // Few rows have a match: only those are sorted.
  const withMatch = rows.filter(({ match }) => match !== undefined).toReversed();
  const without = rows.filter(({ match }) => match === undefined).toReversed();
  // Each row is put in front of the list, so the last one inserted is tried first.
  for (const row of [...without, ...withMatch.toSorted((a, b) => length(a) - length(b))]) {
    const vendor = Number.parseInt(row.vendorId, 16);
    const [index, key] =
      row.productId === ANY ? [vendors, vendor] : [products, keyOf(vendor, Number.parseInt(row.productId, 16))];
    index.set(key, {
      row,
      wanted:
        row.match === undefined ? [] : Object.entries(row.match).map(([field, part]) => [field, part.toUpperCase()]),
      next: index.get(key),
    });
  }
  return { products, vendors };
}

function first(candidate: Candidate | undefined, said: Said, without: readonly PassedOver[]): RecipeRow | undefined {
  for (let at = candidate; at !== undefined; at = at.next) {
    const { row, wanted } = at;
    if (without.some((passed) => passed.row === row)) continue;
    const speaks = row.refuse !== undefined ? said.codec === undefined : !row.requires || said.codec === row.codec;
    if (speaks && wanted.every(([field, part]) => said[field]?.toUpperCase().includes(part))) return row;
  }
  return undefined;
}

function disagreement(row: RecipeRow, derived: RecipeRow | undefined): Pick<Resolution, 'disagreement'> | undefined {
  if (derived === undefined || (derived.codec === row.codec && derived.kind === row.kind)) return undefined;
  return { disagreement: disagreeing(row, derived) };
}

/** Describes how a cloud row differs from what the node would choose. `unfollowed`: why the row was not followed. */
export const disagreeing = (
  row: RecipeRow,
  derived: { readonly kind: string; readonly codec?: string },
  unfollowed?: string,
): Disagreement => ({
  derived: choice(derived),
  row: { id: row.id, ...choice(row) },
  followed: unfollowed === undefined,
  reason: unfollowed ?? FOLLOWED,
});

const choice = ({ codec, kind }: Choice): Choice => ({ ...defined({ codec }), kind });

function repeated({ id, vendorId, productId, match }: WrittenRow, taken: Set<string>): string | undefined {
  const matched = match === undefined ? '' : Object.entries(match).toSorted().join(' / ');
  const device = `${vendorId}:${productId} ${matched}`.toUpperCase();
  if (taken.has(id)) return 'id: another row has it';
  if (taken.has(device)) return 'productId: another row has the same ids and match';
  taken.add(id).add(device);
  return undefined;
}

const named = (row: unknown) => (isRecord(row) && typeof row['id'] === 'string' ? { id: row['id'].slice(0, 64) } : {});
