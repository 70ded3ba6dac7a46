/** What an alert is about where it is none of a node. */

/** The ways by which alerts are told. Each has a loop of its own: a receiver that hangs holds up no other. */
export const CHANNELS = ['webhook', 'mail'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The rule of the alert that others do not get through by a channel. It is told by the other one alone. */
export const FAILS = { webhook: 'webhook_fails', mail: 'mail_fails' } as const;

/** Rules of alerts about the fleet itself, whose subject is `fleet`. */
export const OF_FLEET = ['ingest_refused', 'offline_not_judged', FAILS.webhook, FAILS.mail] as const;
/** Whether a rule is one of them. */
export const isOfFleet = (rule: string): boolean => OF_FLEET.some((each) => each === rule);

/** Rules of alerts about a rollout. */
export const OF_ROLLOUT = ['rollout_halted', 'rollout_stuck'] as const;
