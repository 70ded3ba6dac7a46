/** Shapes of this room: the block of GET /scale, and its event (specification 2.9 and 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import { open } from '../../runtime/kernel/schema.ts';

const Weight = Type.Union([Type.Number(), Type.Null()]);
/** As the button on the scale has it: `g`, `kg`, `oz`, `lb` and so on. Nothing is converted. */
const Unit = Type.Union([Type.String(), Type.Null()]);

export const ScaleBlock = open(
  {
    endpoint: Type.String(),
    /** `refused`: plugged in, and the bus has no channel left for it. */
    status: Type.Union((['reading', 'asleep', 'absent', 'refused'] as const).map((name) => Type.Literal(name))),
    /** Null where there is none to give, which is never told as 0. Exact to the last decimal sent. */
    weight: Weight,
    unit: Unit,
    stable: Type.Boolean(),
    fault: Type.Optional(
      Type.Union(
        (['under_zero', 'over_limit', 'needs_calibration', 'needs_rezero', 'fault'] as const).map((name) =>
          Type.Literal(name),
        ),
      ),
    ),
    /** Since the scale last spoke, or since it was unplugged; null where it never did. */
    ageMs: Type.Union([Type.Integer(), Type.Null()]),
  },
  { $id: 'ScaleBlock' },
);
export type ScaleStatus = Static<typeof ScaleBlock>;

/** What this room adds to GET /status. */
export const ScaleStatusPart = open({ scale: ScaleBlock });

export const ScaleWeightChanged = open(
  {
    type: Type.Literal('scale_weight_changed'),
    endpoint: Type.String(),
    weight: Weight,
    unit: Unit,
    stable: Type.Boolean(),
  },
  { $id: 'ScaleWeightChanged' },
);

/** How the virtual scale stands; the five after `asleep` are what it says of itself beside a weight. */
export type ScaleCondition =
  | 'reading'
  | 'asleep'
  | 'under_zero'
  | 'over_limit'
  | 'needs_calibration'
  | 'needs_rezero'
  | 'fault';

declare module '../../runtime/kernel/registry.ts' {
  interface WebhookEvents {
    scale_weight_changed: Static<typeof ScaleWeightChanged>;
  }
  interface StatusBlocks {
    scale: Static<typeof ScaleStatusPart>;
  }
}
