/** Schemas of alerts: what is shown of them, and the message that tells them. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { Offset } from '../http/contract.ts';
import { Filter, STATES } from '../nodes/contract.ts';
import { OF_FLEET, OF_ROLLOUT } from './subjects.ts';

/** What alerts are about: a state of a node, a rollout that halted or is stuck, or the fleet itself. */
export const RULES = [...STATES, ...OF_ROLLOUT, ...OF_FLEET] as const;
const Rule = Type.Unsafe<(typeof RULES)[number]>({ type: 'string', enum: RULES });

const yesNo = (description: string) =>
  Type.Optional(Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'], description }));

/** The query of GET /api/alerts. */
export const AlertsQuery = closed(
  {
    open: yesNo('only those that go on, or only others'),
    acknowledged: yesNo('only those that somebody looks after, or only others'),
    filter: Type.Optional({
      ...Filter,
      description: `of nodes, whose alerts are then listed alone: ${Filter.description}`,
    }),
    rule: Type.Optional(Rule),
    subject: Type.Optional(Type.String({ maxLength: 64 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: '100 unless given' })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: 'the id of the last alert of the answer before' })),
    offset: Offset,
  },
  { $id: 'AlertsQuery' },
);
export type AlertsQuery = Static<typeof AlertsQuery>;

const OrNull = Type.Union([Type.String(), Type.Null()]);

/** One alert. */
export const Alert = open(
  {
    id: Type.Integer(),
    rule: Type.String(),
    subject: Type.String({ description: 'the id of the node, or of the rollout' }),
    began: Type.String({ description: 'ISO 8601' }),
    ended: OrNull,
    name: Type.String({ description: 'of the node; "" for none' }),
    site: OrNull,
    acknowledgedAt: OrNull,
    acknowledgedBy: OrNull,
  },
  { $id: 'Alert' },
);
export type Alert = Static<typeof Alert>;

/** The response of GET /api/alerts, newest first. `total` is of all that fit. */
export const AlertList = open({ alerts: Type.Array(Alert), total: Type.Integer() }, { $id: 'AlertList' });

/** What a webhook and an e-mail tell: alerts that began and that ended, each once. */
export const AlertMessage = open(
  {
    id: Type.Integer({ description: 'of this message; the same where it is sent again' }),
    at: Type.String(),
    begun: Type.Array(Alert, { maxItems: 200 }),
    ended: Type.Array(Alert, { maxItems: 200 }),
    more: Type.Integer({ description: 'alerts that began or ended and are not listed' }),
  },
  { $id: 'AlertMessage' },
);
export type AlertMessage = Static<typeof AlertMessage>;
