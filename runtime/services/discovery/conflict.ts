/** Name conflicts: two hosts claim the same name (RFC 6762, 8 and 9). */
import type { Answer } from 'dns-packet';
import { claimOf, type OwnRecord, recordKey } from './packet.ts';

/**
 * `rename`: another host has the name: take the next one. `defer`: another host probes for it at the same time and wins
 * the tie-break: probe again later (8.2). `defend`: the name is ours and another host claims it: probe again (9).
 */
export type Conflict = 'rename' | 'defer' | 'defend';

/**
 * The tie-break between simultaneous probes for one name (8.2): true if this node loses and must defer. `theirs` are
 * the records of the received probe, `ours` the records that this node claims, one list for each link. A probe that
 * contains only our own records, of any link, is our own, received over another link or through a reflector (14).
 * Otherwise `theirs` must be lexicographically later than our records of every link: the other host defers if it
 * receives later ones of ours, and if both deferred, they would conflict again and again.
 */
export function givesWay(theirs: readonly Answer[], ours: readonly (readonly OwnRecord[])[]): boolean {
  const own = new Set(ours.flat().map(recordKey));
  return !theirs.every((claim) => own.has(recordKey(claim))) && ours.every((records) => isLater(theirs, records));
}

/**
 * Whether `theirs` is lexicographically later, so that the other host wins: compares record by record, in sorted order;
 * if all are equal, the longer list wins (8.2.1).
 */
function isLater(theirs: readonly Answer[], ours: readonly OwnRecord[]): boolean {
  const sorted = (records: readonly Answer[]) =>
    records.flatMap((record) => claimOf(record) ?? []).sort(Buffer.compare);
  const [a, b] = [sorted(theirs), sorted(ours)];
  for (const [index, claim] of a.entries()) {
    const own = b[index];
    if (own === undefined) return true;
    const order = Buffer.compare(claim, own);
    if (order !== 0) return order > 0;
  }
  return false;
}

/**
 * Whether a received record conflicts with one of ours: same name and type, unique to us (cache-flush), other data (9).
 */
export function contradicts(heard: Answer, own: readonly OwnRecord[]): boolean {
  if (heard.type === 'OPT' || heard.ttl === 0) return false;
  const name = heard.name.toLowerCase();
  const rivals = own.filter(
    (record) => record.flush && record.type === heard.type && record.name.toLowerCase() === name,
  );
  return rivals.length > 0 && !rivals.some((record) => recordKey(record) === recordKey(heard));
}

const WINDOW_MS = 10_000;
const MANY = 15;
const LONG_PAUSE_MS = 5000;

/** Back-off between attempts to claim a name: 5 s after each conflict once there were fifteen in ten seconds (8.1). */
export class Brake {
  #recent: number[] = [];

  /** Counts a conflict and returns the wait in ms: `pauseMs`, which the conflict itself requires, or the long one. */
  after(conflict: { readonly pauseMs: number }): number {
    const now = performance.now();
    this.#recent = [...this.#recent.filter((at) => now - at < WINDOW_MS), now].slice(-MANY);
    return this.#recent.length < MANY ? conflict.pauseMs : LONG_PAUSE_MS;
  }
}

/** The loser of a tie-break waits this long before it probes again (8.2); the winner has announced itself by then. */
export const DEFER_MS = 1000;
