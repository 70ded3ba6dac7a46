/** What an alert is about where it is none of a node. */

/** Rules of alerts about the fleet itself, whose subject is `fleet`. */
export const OF_FLEET = ['ingest_refused', 'offline_not_judged'] as const;
/** Whether a rule is one of them. */
export const isOfFleet = (rule: string): boolean => OF_FLEET.some((each) => each === rule);

/** Rules of alerts about a rollout. */
export const OF_ROLLOUT = ['rollout_halted', 'rollout_stuck'] as const;
