/** Two nodes want one name (RFC 6762, 8 and 9). */
import type { Answer } from 'dns-packet';
import { claimOf, keyOf, type OwnRecord } from './packet.ts';

/** `rename`: the name is somebody's. `defer`: somebody claims it at this moment and goes first. `defend`: it was ours. */
export type Conflict = 'rename' | 'defer' | 'defend';

/**
 * Whether this node gives way to somebody who probes for its name. `ours` is what it claims itself, link by link.
 * A claim that says nothing but what it says on one link or another is its own, come back over another link or through
 * a reflector (14). Else theirs must be later than its claims of every link: whoever hears an earlier one of them gives
 * way as well, and two that both gave way would meet again and again.
 */
export function givesWay(theirs: readonly Answer[], ours: readonly (readonly OwnRecord[])[]): boolean {
  const own = new Set(ours.flat().map(keyOf));
  return !theirs.every((claim) => own.has(keyOf(claim))) && ours.every((records) => isLater(theirs, records));
}

/**
 * Whether theirs is lexicographically later, so that they keep the name: record by record in order, the longer list
 * winning (8.2.1).
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

/** Somebody says something else of a name and type that are this node's alone (9). */
export function contradicts(heard: Answer, own: readonly OwnRecord[]): boolean {
  if (heard.type === 'OPT' || heard.ttl === 0) return false;
  const name = heard.name.toLowerCase();
  const rivals = own.filter(
    (record) => record.flush && record.type === heard.type && record.name.toLowerCase() === name,
  );
  return rivals.length > 0 && !rivals.some((record) => keyOf(record) === keyOf(heard));
}

const WINDOW_MS = 10_000;
const MANY = 15;
const LONG_PAUSE_MS = 5000;

/** How long to wait before the next name is tried: longer after fifteen conflicts in ten seconds (8.1). */
export class Brake {
  #recent: number[] = [];

  /** `pauseMs` is the wait that the conflict itself asks for. */
  after(conflict: { readonly pauseMs: number }): number {
    const now = performance.now();
    this.#recent = [...this.#recent.filter((at) => now - at < WINDOW_MS), now].slice(-MANY);
    return this.#recent.length < MANY ? conflict.pauseMs : LONG_PAUSE_MS;
  }
}

/** A loser asks again after this (8.2): the winner has announced itself by then. */
export const DEFER_MS = 1000;
