/** Shape of the event this room emits itself; the others stand in the rooms that emit them (specification 6.1). */
import { Type } from '@sinclair/typebox';
import { open } from '../../kernel/schema.ts';

export const Telemetry = open(
  {
    type: Type.Literal('telemetry'),
    uptimeSeconds: Type.Integer(),
    rssBytes: Type.Integer(),
    /** The block of GET /scale, where this image has a scale. */
    scale: Type.Optional(open({})),
    /** The block of GET /status. */
    usb: Type.Optional(open({})),
  },
  { $id: 'Telemetry' },
);
