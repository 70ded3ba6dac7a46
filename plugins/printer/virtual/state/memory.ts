/** What a printer keeps over ESC @. Values are replaced, never changed in place. */

export interface StoredGraphics {
  readonly width: number;
  readonly height: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** One bit a dot, most significant first, rows padded to a byte. */
  readonly rows: Uint8Array;
  /** The data as it came, where that is not the rows. */
  readonly sent?: Uint8Array;
  /** GS ( L: 1 to 4; 1 where it is left out. */
  readonly colour?: number;
}

/** Characters that were defined, by their code. */
export type OwnCharacters = ReadonlyMap<number, StoredGraphics>;

/** Stored graphics by their key code, each in its colours. */
export type Graphics = ReadonlyMap<string, readonly StoredGraphics[]>;

/** What the flash memory holds: it outlasts the power, too. */
export interface NonVolatile {
  /** FS q, in their order. */
  readonly images: readonly StoredGraphics[];
  /** GS ( L function 67, GS D. */
  readonly graphics: Graphics;
  /** FS g: the NV user memory. */
  readonly user: Uint8Array;
  /** GS ( C: records by their key code. */
  readonly records: ReadonlyMap<string, Uint8Array>;
}

/** Bytes of the NV user memory (TM-T88III manual, FS g 1). */
export const USER_BYTES = 1024;
/** Bytes of graphics that are kept, and those that managing one takes (TM-T88VI manual: 384 KB of NV graphics). */
const MOST_BYTES = 384 * 1024;
const OVERHEAD = 64;

export const FACTORY: NonVolatile = {
  images: [],
  graphics: new Map(),
  user: new Uint8Array(USER_BYTES),
  records: new Map(),
};

const sizeOf = (graphics: Iterable<StoredGraphics>): number =>
  [...graphics].reduce((sum, { rows }) => sum + rows.length + OVERHEAD, 0);

/** Whether so many graphics find room. */
export const holds = (graphics: Iterable<StoredGraphics>): boolean => sizeOf(graphics) <= MOST_BYTES;

/** The graphics with another one in the place of those of this key and colour; undefined where there is no room. */
export const withGraphics = (all: Graphics, key: string, one: StoredGraphics): Graphics | undefined => {
  const others = (all.get(key) ?? []).filter(({ colour = 1 }) => colour !== (one.colour ?? 1));
  const next = new Map(all).set(key, [...others, one]);
  return holds([...next.values()].flat()) ? next : undefined;
};

/** What is left when one is deleted. */
export const without = <Value>(all: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> => {
  const next = new Map(all);
  next.delete(key);
  return next;
};
