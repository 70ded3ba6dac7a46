/** Shapes of this room: the block of GET /scale, and its event (specification 2.9 and 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import type { ScaleReading } from '../../codecs/hid-scale.ts';
import { open } from '../../runtime/base/schema.ts';
import type { Bound } from '../../runtime/kernel/device.ts';

const Weight = Type.Union([Type.Number(), Type.Null()]);
/** The unit that is set on the scale: `g`, `kg`, `oz`, `lb` and so on. Nothing is converted. */
const Unit = Type.Union([Type.String(), Type.Null()]);

/** The answer of GET /scale. */
export const ScaleBlock = open(
  {
    endpoint: Type.String(),
    /** `refused`: plugged in, but the bus has no channel left for it. */
    status: Type.Union((['reading', 'asleep', 'absent', 'refused'] as const).map((name) => Type.Literal(name))),
    /** Exact to the last decimal sent; null, never 0, where there is no valid weight. */
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
    /** Milliseconds since the last report, or since it was unplugged; null where there was none. */
    ageMs: Type.Union([Type.Integer(), Type.Null()]),
  },
  { $id: 'ScaleBlock' },
);
export type ScaleStatus = Static<typeof ScaleBlock>;

/** The part of GET /status that this room adds. */
export const ScaleStatusPart = open({ scale: ScaleBlock });

/** Data of the event `scale_weight_changed`. */
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

/** The status of the virtual scale; those after `asleep` are the states of the HID status field. */
export type ScaleCondition =
  | 'reading'
  | 'asleep'
  | 'under_zero'
  | 'over_limit'
  | 'needs_calibration'
  | 'needs_rezero'
  | 'fault';

/** A bound scale, on whatever it hangs. */
export interface BoundScale extends Bound {
  /** The last reading; undefined before the first and while the scale is asleep. */
  readonly reading: ScaleReading | undefined;
  /** Milliseconds since it was last heard; undefined where it never was. */
  readonly ageMs: number | undefined;
  /** Whether it says nothing, where it should. */
  readonly asleep: boolean;
}

declare module '../../runtime/kernel/registry.ts' {
  interface BoundKinds {
    scale: BoundScale;
  }
  interface WebhookEvents {
    scale_weight_changed: Static<typeof ScaleWeightChanged>;
  }
  interface StatusBlocks {
    scale: Static<typeof ScaleStatusPart>;
  }
}
