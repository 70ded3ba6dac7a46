/** What one node may have kept for long: whoever has its token must not fill the disk. */

/** Rows that are kept a year (changes, old boots) and `keepDays` (events): at once, and then each hour. */
const MOST = { rows: 200, events: 2000 } as const;
const AN_HOUR = { rows: 50, events: 1000 } as const;
const HOUR_MS = 3_600_000;

/** What is left at a moment, in milliseconds since 1970. */
export interface Budget {
  readonly at: number;
  readonly rows: number;
  readonly events: number;
  /** Changes that were not kept, since the last one that was. */
  readonly folded: number;
}

/** Takes up to `wanted` of one kind; says how many may be kept, and what is left. Nothing was kept before where it is null. */
export function spend(
  before: Budget | null,
  at: number,
  kind: keyof typeof MOST,
  wanted: number,
): { readonly budget: Budget; readonly kept: number } {
  const last = before ?? { ...MOST, at, folded: 0 };
  const hours = Math.max(0, at - last.at) / HOUR_MS;
  const grown = (each: keyof typeof MOST) => Math.min(MOST[each], last[each] + hours * AN_HOUR[each]);
  const now = { ...last, at, rows: grown('rows'), events: grown('events') };
  const kept = Math.min(wanted, Math.floor(now[kind]));
  return { budget: { ...now, [kind]: now[kind] - kept }, kept };
}
