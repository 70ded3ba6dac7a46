/** Sums of the hours of a node: what is kept of heartbeats. */
const HOUR_MS = 3_600_000;
/** As many as the columns of the table `hour` hold: a node may say any number. */
const MOST = 2 ** 31 - 1;

/** The hour that is being summed, as the row of a node has it. */
export interface HourSums {
  /** When it began; null before the first heartbeat. */
  readonly hour_at: number | null;
  readonly hour_heartbeats: number;
  readonly hour_prints: number;
}

/** Counts a heartbeat that came `at` this time. `over`: the hour before, where another one begins with it. */
export function count(
  before: HourSums,
  at: number,
  prints: number,
): { readonly sums: HourSums; readonly over: HourSums | undefined } {
  const hour = at - (at % HOUR_MS);
  const isNext = before.hour_at === null || hour > before.hour_at;
  const base = isNext ? { hour_at: hour, hour_heartbeats: 0, hour_prints: 0 } : before;
  const sums = {
    hour_at: base.hour_at,
    hour_heartbeats: base.hour_heartbeats + 1,
    hour_prints: Math.min(MOST, base.hour_prints + prints),
  };
  return { sums, over: isNext && before.hour_at !== null ? bounded(before) : undefined };
}

/** As it can be stored, also where an earlier version summed it. */
const bounded = ({ hour_at, hour_heartbeats, hour_prints }: HourSums): HourSums => ({
  hour_at,
  hour_heartbeats: Math.min(MOST, hour_heartbeats),
  hour_prints: Math.min(MOST, hour_prints),
});

/** What was printed since the heartbeat before, by counters that begin at 0 with each boot. */
export function printsSince(before: object, now: object, isNewBoot: boolean): number {
  const more = printsOf(now) - (isNewBoot ? 0 : printsOf(before));
  return Number.isSafeInteger(more) && more > 0 ? more : 0;
}

const printsOf = (counters: object): number =>
  'prints' in counters && typeof counters.prints === 'number' ? counters.prints : 0;
