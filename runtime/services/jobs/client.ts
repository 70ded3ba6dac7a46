/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';

/** One job of GET /jobs. */
export type RecentJob = Static<typeof Contract.RecentJob>;
/** One hour of GET /jobs. */
export type DayHour = Static<typeof Contract.DayHour>;
/** The response of GET /jobs. */
export type Jobs = Static<typeof Contract.Jobs>;

/** The body of POST /jobs/settle. */
export type SettleBody = Static<typeof Contract.SettleBody>;
/** The response of POST /jobs/settle. */
export type Settled = Static<typeof Contract.Settled>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** The last 50 jobs, newest first. At a restart all but those in doubt are forgotten, and their numbers may come again. */
  jobs: (options?: CallOptions): Promise<Jobs> => node.request('GET', '/jobs', undefined, options),
  /** Says what the paper shows of a job whose outcome is `uncertain`: all of it (`printed`), or not. */
  settle: (body: SettleBody, options?: CallOptions): Promise<Settled> =>
    node.request('POST', '/jobs/settle', body, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
