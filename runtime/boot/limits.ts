/** How long the launcher waits, and how often it lets an image end before it takes another one. */
import type { RunPatience } from './run.ts';

export const PATIENCE = {
  goodMs: 60_000,
  aliveMs: 15_000,
  stopMs: 5000,
  /** Before a crashed image is started again, doubled each time it crashes soon, up to the longest. */
  crashMs: 1000,
  longestMs: 30_000,
  /** Before everything is tried again. */
  outOfOrderMs: 60_000,
  /** Before a port that another program has is tried again. */
  portMs: 500,
  /** A run this long is not part of a row of ends. */
  longRunMs: 60_000,
  /** From the moment at which an image is good until the launcher gives back what starting it has left: a receipt goes first. */
  collectMs: 10_000,
  /** How often the time that a new image ran is written down. */
  noteMs: 3_600_000,
  /** How long an image is new. */
  firstMs: 3_600_000,
  thenMs: 86_400_000,
};
/** Time limits and intervals of the launcher, in milliseconds. */
export type LauncherPatience = typeof PATIENCE & RunPatience;

/** Ends before it was good, or soon after, that an image has. */
export const MAX_TRIES = 3;
/** Starts after which the machine booted again, or ran out of memory: it may be that the image does it. */
export const MAX_UNSEEN = 10;
/** Crashes that a new image may have, in its first hour and in the day after it. */
export const MAX_CRASHES = 5;
