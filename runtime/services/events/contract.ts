/** Schema of the event that this room emits; the others are in the rooms that emit them (specification 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import { named, open } from '../../base/schema.ts';

/** The event `telemetry`. */
export const Telemetry = open(
  {
    type: Type.Literal('telemetry'),
    uptimeSeconds: Type.Integer(),
    rssBytes: Type.Integer(),
    /** As GET /scale; absent if the image has no scale. */
    scale: Type.Optional(named('ScaleBlock')),
    /** The block `usb` of GET /status. */
    usb: Type.Optional(named('UsbStatus')),
  },
  { $id: 'Telemetry' },
);

/** Header fields of GET /events. */
export const EventsHeaders = open({
  'Last-Event-ID': Type.Optional(
    Type.String({
      description: 'number of the last event received: later ones are sent again, as far as the node still has them',
    }),
  ),
});

declare module '../../kernel/registry.ts' {
  interface NodeEvents {
    telemetry: Static<typeof Telemetry>;
  }
}
