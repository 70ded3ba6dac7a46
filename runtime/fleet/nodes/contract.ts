/** Schemas of the nodes, as operators and their programs see them. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { NodeId, Offset } from '../http/contract.ts';
import { Heartbeat } from '../ingest/contract.ts';

/** What may be wrong with a node, each after the time of its rule. */
export const STATES = ['offline', 'no_paper', 'crash_loop', 'custody_hold'] as const;
export type State = (typeof STATES)[number];
export const State = Type.Unsafe<State>({ type: 'string', enum: STATES });

const Time = Type.String({ description: 'ISO 8601, by the clock of the fleet' });
const OrNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** A list in the language of filters. */
export const Filter = Type.String({
  maxLength: 500,
  description:
    'terms that all must fit: key:value, key:a,b, -key:value, or a word in id, name, site or address; keys: id, name, site, tag, state (fine where nothing is wrong), variant, version (also version:<0.2.0), muted; quotes hold spaces, * is any characters',
});

/** The query of GET /api/nodes. */
export const NodesQuery = closed(
  {
    filter: Type.Optional(Filter),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'nodes in one answer; 100 unless given' }),
    ),
    after: Type.Optional(Type.String({ maxLength: 64, description: 'the last id of the answer before' })),
    offset: Offset,
  },
  { $id: 'NodesQuery' },
);
export type NodesQuery = Static<typeof NodesQuery>;

/** A name that people gave: no control characters, nothing to trim, and no quotes, between which filters have it. */
export const Name = Type.String({
  pattern: '^(?!\\.{1,2}$)[^\\p{C}\\s"]([^\\p{C}"]{0,62}[^\\p{C}\\s"])?$',
  description: '1 to 64 characters, and not . or ..',
});
export const Notes = Type.String({ maxLength: 500, description: 'for people' });
const Tags = Type.Array(Type.String({ pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N}._-]{0,31}$' }), {
  maxItems: 16,
  uniqueItems: true,
});

/** The body of PUT /api/nodes/:id: what is left out stays as it is. */
export const NodePut = closed(
  {
    name: Type.Optional(OrNull(Name, 'null: as it calls itself')),
    site: Type.Optional(OrNull(Name, 'made where it is not there')),
    tags: Type.Optional(Tags),
    notes: Type.Optional(Notes),
    mutedUntil: Type.Optional(
      OrNull(
        Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$' }),
        'its alerts end, and none begins until then',
      ),
    ),
  },
  { $id: 'NodePut' },
);
export type NodePut = Static<typeof NodePut>;

/** The response of POST /api/nodes/:id/token. */
export const NodeToken = open({ token: Type.String() }, { $id: 'NodeToken' });

/** The body of POST /api/nodes/:id/replace. */
export const Replace = closed({ by: NodeId }, { $id: 'NodeReplace', description: '`by`: the id of the new box' });

const summary = {
  id: Type.String(),
  name: Type.String({ description: 'what an operator gave it, else what it calls itself; "" for none' }),
  site: OrNull(Type.String()),
  tags: Type.Array(Type.String()),
  mutedUntil: OrNull(Time),
  variant: Type.String(),
  firmwareVersion: Type.String(),
  states: Type.Array(State),
  lastSeen: Time,
  heartbeats: Type.Integer({ description: 'how many of this node are stored, each once' }),
};
/** One row of the list. */
export const NodeSummary = open(summary, { $id: 'NodeSummary' });
export type NodeSummary = Static<typeof NodeSummary>;

/** The response of GET /api/nodes: by id; `total` is of all that fit, not of this answer. */
export const NodeList = open({ nodes: Type.Array(NodeSummary), total: Type.Integer() }, { $id: 'NodeList' });
export type NodeList = Static<typeof NodeList>;

/** A change that is kept. */
export const TransitionView = open(
  {
    at: Time,
    kind: Type.String({ description: 'first_heard, state, printer, paper, version, crash, custody, folded' }),
    endpoint: Type.Optional(Type.String()),
    before: Type.Optional(Type.String()),
    after: Type.Optional(Type.String()),
    detail: Type.Optional(open({})),
  },
  { $id: 'Transition' },
);

/** What came of a job, as a webhook told it. */
export const JobOutcome = open(
  {
    at: Time,
    commandId: Type.String(),
    endpoint: Type.String(),
    ok: Type.Boolean(),
    error: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.String()),
  },
  { $id: 'JobOutcome' },
);

/** Something wrong with requests, counted. */
export const OddityView = open(
  {
    kind: Type.String({
      description: 'bad_body, foreign_token, bad_signature, replay, clock, two_addresses, duplicate, flood',
    }),
    node: Type.String({ description: '"" where it is not known who sent it' }),
    address: Type.String(),
    count: Type.Integer(),
    firstAt: Time,
    lastAt: Time,
    detail: Type.String({ description: 'of the last one' }),
  },
  { $id: 'Oddity' },
);
export const OddityList = open({ oddities: Type.Array(OddityView) }, { $id: 'OddityList' });

/** The response of GET /api/nodes/:id/hours, the newest first. */
export const NodeHours = open(
  {
    hours: Type.Array(
      open({
        at: Type.String({ description: 'when the hour begins, ISO 8601; hours without a heartbeat are left out' }),
        heartbeats: Type.Integer(),
        prints: Type.Integer({ description: 'receipts, as the counters of heartbeats tell them' }),
      }),
    ),
  },
  { $id: 'NodeHours' },
);
export type NodeHours = Static<typeof NodeHours>;

const Times = (description: string) => Type.Integer({ minimum: 0, description });
/** The response of GET /api/nodes/:id/days, the oldest first. */
export const NodeDays = open(
  {
    days: Type.Array(
      open({
        day: Type.String({ description: '2026-11-26, by the clocks of its site; UTC without one' }),
        hours: Times('hours of it in which it was heard'),
        prints: Times('receipts'),
        offline: Times('how often it began to be offline'),
        noPaper: Times('how often a printer ran out of paper'),
        crashes: Times('crashes'),
        versions: Type.Array(Type.String(), { description: 'that it changed to' }),
      }),
    ),
  },
  { $id: 'NodeDays' },
);
export type NodeDays = Static<typeof NodeDays>;

/** The response of GET /api/nodes/:id. */
export const NodeDetail = open(
  {
    ...summary,
    notes: Type.String(),
    saidName: Type.String({ description: 'what it calls itself' }),
    slot: Type.String(),
    address: Type.String({ description: 'where its last heartbeat came from' }),
    firstSeen: Time,
    uptimeSeconds: Type.Integer(),
    bootId: OrNull(Type.String()),
    bootStarted: OrNull(Time),
    updatePolicy: OrNull(Type.String({ description: 'off, check, auto; null where the node does not tell' })),
    printers: Type.Array(open({})),
    peripherals: Type.Array(open({})),
    counters: open({}, { description: 'since the boot' }),
    paperOutSince: OrNull(Time),
    custodySince: OrNull(Time),
    crash: OrNull(Heartbeat.properties.crash),
    crashAt: OrNull(Time),
    crashes: Type.Array(Time, { description: 'when the last ones were heard of' }),
    transitions: Type.Array(TransitionView, { description: 'the last 100, newest first' }),
    jobs: Type.Array(JobOutcome, { description: 'the last 50 that webhooks told, newest first' }),
    oddities: Type.Array(OddityView),
  },
  { $id: 'NodeDetail' },
);
export type NodeDetail = Static<typeof NodeDetail>;
