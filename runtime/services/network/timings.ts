/** How patient the node is with networks; tests shorten it. */
export const TIMINGS = {
  /** Credentials are tried for so long before setup opens (specification 3.5: about 3 minutes). */
  healMs: 180_000,
  /** Between one attempt and the next; the last one repeats. */
  backOffMs: [2000, 5000, 10_000, 20_000] as readonly number[],
  /** Setup that nobody has used for so long makes way for one more attempt with credentials that once worked. */
  quietMs: 300_000,
  /** A network that went may be back by itself, and a cable plugged in at the start gets its address, within this. */
  settleMs: 5000,
  /** An answer under way gets this long before its network is left. */
  answerMs: 1000,
  /** A gateway that says nothing for so long is taken for wrong. */
  silenceMs: 180_000,
  /** Between two questions to the gateway. */
  askMs: 10_000,
  /** Between one try to open setup and the next; the last one repeats. */
  reopenMs: [2000, 5000, 10_000] as readonly number[],
  /** What letting go of the setup network may take when the node stops. */
  stopMs: 1500,
};
export type Timings = typeof TIMINGS;
