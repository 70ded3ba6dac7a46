/** What goes wrong in a simulated fleet, and how often; all times are those of the nodes, which pass faster by the speed. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Means of exponential distributions, in milliseconds, and shares from 0 to 1. */
export interface Faults {
  /** Between two print jobs of a node. */
  readonly jobEvery: number;
  /** Between two crashes of a node, and from one to its next start. */
  readonly crashEvery: number;
  readonly startTakes: number;
  /** Between two empty rolls of paper, and until somebody brings another one. */
  readonly paperEvery: number;
  readonly paperTakes: number;
  /** The share of nodes whose link comes and goes, and for how long it stays either way. */
  readonly flapping: number;
  readonly linkUp: number;
  readonly linkDown: number;
  /** The share of heartbeats that come twice, as a proxy sends them again. */
  readonly twice: number;
  /** The share of nodes in custody hold. */
  readonly held: number;
  /** The share of nodes whose clock is wrong, and by how much at most. */
  readonly skewed: number;
  readonly skew: number;
  /** The share of nodes on which the new release crashes, and how long after its start. */
  readonly spoiled: number;
  readonly spoiledAfter: number;
}

/** As in shops, with what is rare made frequent enough to be seen in minutes. */
export const FAULTS: Faults = {
  jobEvery: 15 * MINUTE,
  crashEvery: 24 * HOUR,
  startTakes: MINUTE / 3,
  paperEvery: 48 * HOUR,
  paperTakes: 8 * MINUTE,
  flapping: 0.02,
  linkUp: 6 * MINUTE,
  linkDown: MINUTE,
  twice: 0.01,
  held: 0.001,
  skewed: 0.1,
  skew: 365 * 24 * HOUR,
  spoiled: 0.05,
  spoiledAfter: MINUTE / 2,
};

/** Nothing goes wrong, and nobody prints. */
export const NONE: Faults = {
  ...FAULTS,
  jobEvery: Infinity,
  crashEvery: Infinity,
  paperEvery: Infinity,
  flapping: 0,
  twice: 0,
  held: 0,
  skewed: 0,
  spoiled: 0,
};
