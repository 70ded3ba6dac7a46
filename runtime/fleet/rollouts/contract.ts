/** Schemas of rollouts. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { NodeId, Offset } from '../http/contract.ts';

const Percent = (minimum: number, description: string) => Type.Number({ minimum, maximum: 100, description });
const plan = {
  groups: Type.Array(Type.String({ maxLength: 500, pattern: '^([1-9]\\d{0,6}|\\d{1,3}(\\.\\d{1,2})?%|.*:.*)$' }), {
    minItems: 1,
    maxItems: 16,
    description:
      'who is in each group: how many nodes have the image after it, as a number or a part of all in percent, or a filter with a key, as tag:pilot; the last is "100%"',
  }),
  bySite: Type.Boolean({ description: 'groups by number take all nodes of a site together' }),
  window: Type.String({
    maxLength: 200,
    description:
      'when it is offered, by the clocks of the site of a node (UTC without one): "" at any time, "closed" while its site is closed (at any time where that has no hours), or hours as those of a site',
  }),
  healthyPercent: Percent(
    1,
    'of the nodes of a group that can be reached: so many must be healthy before the next group',
  ),
  errorPercent: Percent(0, 'of the nodes of a group: where so many fail, at least one, the rollout halts'),
  healthyAfterSeconds: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    description: 'a node is healthy that has run the version for so long without a crash',
  }),
  lostAfterSeconds: Type.Integer({
    minimum: 60,
    maximum: 604_800,
    description: 'a node has failed that took the image and was not heard, or did not run it, for so long',
  }),
  stuckAfterSeconds: Type.Integer({
    minimum: 60,
    maximum: 2_592_000,
    description: 'a rollout is stuck of which no node came further for so long, which is an alert',
  }),
};
/** How a rollout goes on. */
export const Plan = open(plan, { $id: 'Plan' });
export type Plan = Static<typeof Plan>;

/** The body of POST /api/rollouts. */
export const RolloutStart = closed(
  {
    variant: Type.String({ maxLength: 64 }),
    version: Type.String({ maxLength: 64 }),
    groups: Type.Optional(plan.groups),
    bySite: Type.Optional(plan.bySite),
    window: Type.Optional(plan.window),
    healthyPercent: Type.Optional(plan.healthyPercent),
    errorPercent: Type.Optional(plan.errorPercent),
    healthyAfterSeconds: Type.Optional(plan.healthyAfterSeconds),
    lostAfterSeconds: Type.Optional(plan.lostAfterSeconds),
    stuckAfterSeconds: Type.Optional(plan.stuckAfterSeconds),
  },
  { $id: 'RolloutStart' },
);
export type RolloutStart = Static<typeof RolloutStart>;

const ofNode = { node: Type.Optional({ ...NodeId, description: 'that node alone' }) };
/** The body of POST /api/rollouts/:id/retry. */
export const RolloutOf = closed(ofNode, { $id: 'RolloutOf' });
/** The body of POST /api/rollouts/:id/skip. */
export const RolloutSkip = closed(
  {
    ...ofNode,
    openGroup: Type.Optional(
      Type.Integer({ description: 'the group to leave, as the rollout said it: another one is a conflict' }),
    ),
  },
  { $id: 'RolloutSkip' },
);
export type RolloutSkip = Static<typeof RolloutSkip>;

/** What becomes of the nodes of a rollout. */
export const MEMBER_STATES = ['waiting', 'offered', 'taken', 'healthy', 'failed', 'excused', 'skipped'] as const;
export type MemberState = (typeof MEMBER_STATES)[number];
const Count = Type.Integer({ minimum: 0 });
const OrNull = Type.Union([Type.String(), Type.Null()]);

/** A group in numbers. */
export const RolloutGroup = open(
  {
    size: Count,
    waiting: Count,
    offered: Count,
    taken: Type.Integer({ description: 'asked for the image, and have not been healthy for long enough' }),
    healthy: Count,
    failed: Count,
    excused: Type.Integer({ description: 'failed before somebody resumed the rollout' }),
    skipped: Type.Integer({ description: 'taken out by somebody' }),
    silent: Type.Integer({ description: 'of those that wait: have not asked for an image since the rollout began' }),
  },
  { $id: 'RolloutGroup' },
);
export type RolloutGroup = Static<typeof RolloutGroup>;

/** What nodes have not done that hold up a rollout: codes, with the English of `reason`. */
export const HELD = {
  never_asked: 'never asked',
  outside: 'asked outside of its window',
  offered: 'did not take it',
  taken: 'took it and are not healthy',
  deleted: 'were deleted before they ran it',
  failed: 'failed with it',
  skipped: 'were taken out',
} as const;

/** Why a rollout does not go on, for pages that say it in words of their own. */
export const Cause = open({
  group: Type.Integer({ description: 'of which group, from 0' }),
  failed: Type.Integer({ description: 'of its nodes, so that it halted; 0 where it is stuck' }),
  size: Count,
  held: Type.Array(
    open({
      what: Type.Unsafe<keyof typeof HELD>({ type: 'string', enum: Object.keys(HELD) }),
      nodes: Type.Integer({ description: 'how many' }),
      some: Type.Array(Type.String(), { description: 'the first of them' }),
    }),
    { description: 'what holds it up where it is stuck' },
  ),
});
export type Cause = Static<typeof Cause>;

/** A rollout. */
export const Rollout = open(
  {
    id: Type.Integer(),
    variant: Type.String(),
    version: Type.String(),
    state: Type.Unsafe<'running' | 'done' | 'halted' | 'stopped'>({
      type: 'string',
      enum: ['running', 'done', 'halted', 'stopped'],
      description: 'halted: by its error threshold; stopped: by hand; done: the version of all nodes of the variant',
    }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'why it halted, or what it is stuck with' }),
    cause: Type.Union([Cause, Type.Null()], { description: 'the same in codes and numbers' }),
    startedAt: Type.String(),
    startedBy: Type.String(),
    endedAt: OrNull,
    endedBy: OrNull,
    openGroup: Type.Integer({ description: 'the last group that gets the image, from 0' }),
    groups: Type.Array(RolloutGroup),
    plan: Plan,
  },
  { $id: 'Rollout' },
);
export type Rollout = Static<typeof Rollout>;
/** The response of GET /api/rollouts: the last 100, newest first. */
export const RolloutList = open({ rollouts: Type.Array(Rollout) }, { $id: 'RolloutList' });

/** The query of GET /api/rollouts/:id/nodes. */
export const RolloutNodesQuery = closed(
  {
    state: Type.Optional(Type.Unsafe<MemberState>({ type: 'string', enum: MEMBER_STATES })),
    asked: Type.Optional(
      Type.Unsafe<'never'>({ type: 'string', enum: ['never'], description: 'only those that have not asked for it' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: '100 unless given' })),
    after: Type.Optional(Type.String({ maxLength: 64, description: 'the last id of the answer before' })),
    offset: Offset,
  },
  { $id: 'RolloutNodesQuery' },
);
/** The response to that query, by id; `total` is of all that fit. */
export const RolloutNodes = open(
  {
    nodes: Type.Array(
      open({
        node: Type.String(),
        group: Type.Integer(),
        state: Type.String(),
        reason: OrNull,
        askedAt: OrNull,
        offeredAt: OrNull,
        takenAt: OrNull,
        endedAt: OrNull,
      }),
    ),
    total: Type.Integer(),
  },
  { $id: 'RolloutNodes' },
);
