/** Shape of the event this room emits itself; the others stand in the rooms that emit them (specification 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import { named, open } from '../../kernel/schema.ts';

export const Telemetry = open(
  {
    type: Type.Literal('telemetry'),
    uptimeSeconds: Type.Integer(),
    rssBytes: Type.Integer(),
    /** The block of GET /scale, where this image has a scale. */
    scale: Type.Optional(named('ScaleBlock')),
    /** The block of GET /status. */
    usb: Type.Optional(named('UsbStatus')),
  },
  { $id: 'Telemetry' },
);

export const EventsHeaders = open({
  'Last-Event-ID': Type.Optional(
    Type.String({ description: 'number of the last event seen: those after it are replayed, as far as they are held' }),
  ),
});

declare module '../../kernel/registry.ts' {
  interface NodeEvents {
    telemetry: Static<typeof Telemetry>;
  }
}
