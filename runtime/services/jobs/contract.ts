/** The recent jobs and the counters of the devices: shapes, and what other rooms tell this one. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import type { Command } from '../../kernel/command.ts';

/** Jobs that the list holds; the oldest that has ended makes room. */
export const JOBS = 50;

const Kind = Type.String({
  maxLength: 64,
  description: 'print, raw, drawer_kick, port9100, compose, ipp, epos; of a command of another plugin, its type',
});
const OUTCOMES = ['running', 'accepted', 'confirmed', 'unconfirmed', 'uncertain', 'partial', 'failed'] as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** One job: who asked for what, and what came of it; never what it printed. */
export const RecentJob = open(
  {
    seq: count('its number; those of jobs that are `uncertain` are never given again, also after a restart'),
    id: Type.Optional(Type.String({ description: 'of the command; a connection to port 9100 has none' })),
    kind: Kind,
    endpoint: Type.String(),
    from: Type.String({ description: 'address of the client; "node" for a slip that the node prints by itself' }),
    outcome: Type.Union(
      OUTCOMES.map((outcome) => Type.Literal(outcome)),
      {
        description:
          'running: it has its device, and has not ended; accepted, confirmed, unconfirmed: as in a command result; uncertain: nobody knows how far it ' +
          'came, until somebody says what the paper shows (POST /jobs/settle); partial: it ended before its end, as its client ' +
          'broke it off or by `error`, and what came of it was printed; failed: nothing was printed',
      },
    ),
    settled: Type.Optional(
      Type.Literal(true, { description: 'it was uncertain: the outcome is what somebody saw on the paper' }),
    ),
    error: Type.Optional(Type.String({ description: 'why it failed: a code of the error table' })),
    missingBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'the connection to port 9100 ended inside a command, which lacked so many bytes or more',
      }),
    ),
    language: Type.Optional(
      Type.String({
        description: 'of the document that port 9100 did not print: PDF, PostScript, PJL, ZPL and others',
      }),
    ),
    pulsesDropped: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'commands in it that could open a drawer, which port 9100 does not pass on',
      }),
    ),
    bytes: count('that the device took, so far; of a job that ended with the node or its power, at least so many'),
    totalBytes: Type.Optional(count('of the whole job, where that is known')),
    startedAgoMs: count('since it was asked for'),
    ms: count('how long it took, so far, from when it got its device; of one that never did, how long it waited'),
  },
  { $id: 'RecentJob' },
);
export type RecentJob = Static<typeof RecentJob>;

/** The body of POST /jobs/settle. */
export const SettleBody = closed(
  {
    seq: Type.Integer({ minimum: 0, description: 'number of a job that is uncertain' }),
    printed: Type.Boolean({ description: 'true: all of it came out; false: it did not, or not whole' }),
  },
  { $id: 'SettleBody', examples: [{ seq: 12, printed: true }] },
);
export type SettleBody = Static<typeof SettleBody>;

/** The answer of POST /jobs/settle: what was stored. */
export const Settled = open(
  { ok: Type.Literal(true), seq: Type.Integer(), printed: Type.Boolean() },
  { $id: 'Settled' },
);

/** A job on the disk: one that goes on for a while, or whose end is not known. The last line of a number counts. */
export const StoredJob = closed(
  {
    seq: Type.Integer({ minimum: 0 }),
    state: Type.Union([Type.Literal('running'), Type.Literal('uncertain'), Type.Literal('ended')]),
    kind: Kind,
    endpoint: Type.String({ maxLength: 64 }),
    from: Type.String({ maxLength: 64 }),
    id: Type.Optional(Type.String({ maxLength: 128 })),
    key: Type.Optional(Type.String({ maxLength: 64, description: 'of idempotency' })),
    at: Type.Integer({ description: "when it began, by the node's clock, in ms since 1970" }),
    ms: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    totalBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    error: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { $id: 'StoredJob' },
);
export type StoredJob = Static<typeof StoredJob>;

const TROUBLES = ['paper_out', 'cover_open', 'unplugged'] as const;
export type HourTrouble = (typeof TROUBLES)[number];

/** One of the last 24 hours. */
export const DayHour = open(
  {
    startedAgoMs: count('since it began; the newest one is not over'),
    receipts: count('that were printed, by whatever way they came'),
    failed: count('jobs that were not printed, not whole, or nobody knows'),
    trouble: Type.Array(Type.Union(TROUBLES.map((trouble) => Type.Literal(trouble))), {
      maxItems: TROUBLES.length,
      uniqueItems: true,
      description: 'what is known to have kept a printer from printing, at some time in it',
    }),
  },
  { $id: 'DayHour' },
);
export type DayHour = Static<typeof DayHour>;

const Changes = Type.Optional(
  count(
    'another number once a job began or ended, or something changed in the last 24 hours: time to ask GET /jobs again',
  ),
);

/** The answer of GET /jobs. */
export const Jobs = open(
  {
    changes: Changes,
    jobs: Type.Array(RecentJob, {
      maxItems: JOBS,
      description: 'newest first; one that runs stays in it, and one that waits for its device is not in it yet',
    }),
    waiting: Type.Optional(count('jobs that wait for their device')),
    day: Type.Optional(
      Type.Array(DayHour, { maxItems: 24, description: 'hours since the start of the node, newest first' }),
    ),
  },
  { $id: 'Jobs' },
);

const counts = {
  receipts: Type.Optional(count('print jobs, and jobs of port 9100: one a cut, at least one a job')),
  cuts: Type.Optional(count('commands that cut the paper')),
  kicks: Type.Optional(count('drawer pulses of the API')),
  scans: Type.Optional(count('accepted reads')),
};
const Counts = open(counts);
export type Counted = keyof typeof counts;
export type Counts = Partial<Record<Counted, number>>;

/** This room's part of the status. */
export const JobsStatus = open(
  {
    jobs: open({ uncertain: count('jobs of which nobody has said yet what the paper shows'), changes: Changes }),
    counters: Type.Array(
      open({
        endpoint: Type.String(),
        sinceStart: Counts,
        total: open(counts, {
          description:
            'of this device, earlier runs included; what was counted in the last hours before a crash or a power cut is lost',
        }),
      }),
      { description: 'of each printer and scanner that was plugged in' },
    ),
  },
  { $id: 'JobsStatus' },
);
export type JobsStatus = Static<typeof JobsStatus>;

/** The counters on the disk; another shape counts as none. */
export const StoredCounters = closed(
  {
    savedAt: Type.Number({ description: "the node's clock then, in ms since 1970" }),
    devices: Type.Array(
      closed({
        device: Type.String({ maxLength: 300, description: 'endpoint:vendor:product:serial' }),
        counts: closed(counts),
      }),
      { maxItems: 16, description: 'the one that was plugged in last is the last' },
    ),
  },
  { $id: 'StoredCounters' },
);
export type StoredCounters = Static<typeof StoredCounters>;

/** How far a job is; asked only when somebody looks, and when it ends. */
export interface JobProgress {
  /** Bytes that the device took so far. */
  readonly written: number;
  /** Whether it has the device: bytes of it may be on their way. */
  readonly hasTurn: boolean;
  /** When it got the device, in ms of `performance.now()`; undefined before. */
  readonly turnAt?: number | undefined;
}

/** A job that begins. */
export interface NewJob extends Pick<RecentJob, 'id' | 'kind' | 'endpoint' | 'from'> {
  readonly progress?: JobProgress;
  /** The command of the job, which may tell by itself whether its turn has come. */
  readonly command?: Pick<Command, 'hasBegun' | 'begunAt'>;
  /** The key of idempotency. */
  readonly key?: string | undefined;
}

/** How a job ended. Without `error` it is `accepted` unless `outcome` says more. */
export interface JobEnd {
  readonly outcome?: 'accepted' | 'confirmed' | 'unconfirmed' | undefined;
  readonly error?: string | undefined;
  /** Left out: what `progress` of the job says. */
  readonly bytes?: number | undefined;
  /** 0 as left out. */
  readonly missingBytes?: number | undefined;
  /** The language of a document that was not printed. */
  readonly language?: string | undefined;
  /** 0 as left out. */
  readonly pulsesDropped?: number | undefined;
}

/** A job in the list. */
export interface ListedJob {
  /** Only the first call counts. */
  end(how: JobEnd): void;
  /** The job goes on as this command, which is not listed by itself; its result ends the job. */
  becomes(command: Command): void;
}

/** What the other rooms get of this one. */
export interface JobsOffer {
  /** Lists a job that is no command: those list themselves. */
  begin(job: NewJob): ListedJob;
  /** Says where to ask how far a command is, until its result is there, and how many bytes it has in all. */
  follow(command: Command, progress: JobProgress, totalBytes: number): void;
  /** Adds to a counter of the device at an endpoint. */
  count(endpoint: string, what: Counted, n?: number): void;
  /** The counters of all devices together since the start; `failed`: print commands that failed. */
  readonly sinceStart: Readonly<Required<Counts> & { failed: number }>;
}

declare module '../../kernel/registry.ts' {
  interface Offers {
    jobs: JobsOffer;
  }
  interface StatusBlocks {
    jobs: JobsStatus;
  }
}
