/** Time limits and intervals of the connection, in milliseconds; tests shorten them. */
export const TIMINGS = {
  /** How long credentials are tried before setup opens (specification 3.5: about 3 minutes). */
  healMs: 180_000,
  /** Pauses between attempts to join; the last one repeats. */
  backOffMs: [2000, 5000, 10_000, 20_000] as readonly number[],
  /** After this time without a request to the portal, credentials that once worked get one more attempt. */
  quietMs: 300_000,
  /** Time for a lost network to return by itself, and for a cable to get its address at the start. */
  settleMs: 5000,
  /** Time for a response to arrive before its network is left. */
  answerMs: 1000,
  /** A fixed address is given up if its gateway does not respond for this long, or nobody is heard in its network. */
  silenceMs: 60_000,
  /** Time for DHCP to assign an address on the cable, once it is asked. */
  leaseMs: 30_000,
  /** A fixed address without a gateway is probed once more after this time on a cable. */
  againMs: 150_000,
  /** Pause between two ARP requests to the gateway. */
  askMs: 10_000,
  /** Pauses between attempts to open setup; the last one repeats. */
  reopenMs: [2000, 5000, 10_000] as readonly number[],
  /** Time limit of closing the setup network when the node stops. */
  stopMs: 1500,
};
/** All of them. */
export type Timings = typeof TIMINGS;
