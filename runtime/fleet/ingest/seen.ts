/**
 * Which numbers of a boot have been seen: a window that slides with the highest one, as against replays in IPsec (RFC 4303,
 * 3.4.3). What is older than the window counts as seen.
 */
export interface Seen {
  readonly boot: string;
  readonly highest: number;
  /** Bit n: `highest - n` was seen. */
  readonly window: number;
}

/** Numbers that the window holds. */
const WIDTH = 32;

/** Adds a number; undefined if it has been seen. Boots stand in the order of their last message, the newest first. */
export function see(boots: readonly Seen[], boot: string, seq: number): readonly Seen[] | undefined {
  const known = boots.find((each) => each.boot === boot);
  const others = boots.filter((each) => each !== known);
  const next = known === undefined ? { boot, highest: seq, window: 1 } : slide(known, seq);
  return next && [next, ...others];
}

function slide({ boot, highest, window }: Seen, seq: number): Seen | undefined {
  const ahead = seq - highest;
  if (ahead > 0) return { boot, highest: seq, window: ahead >= WIDTH ? 1 : ((window << ahead) | 1) >>> 0 };
  const bit = (1 << -ahead) >>> 0;
  if (-ahead >= WIDTH || (window & bit) !== 0) return undefined;
  return { boot, highest, window: (window | bit) >>> 0 };
}
