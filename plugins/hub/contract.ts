/** The part of GET /status that this room adds: hubs, their power, and the devices behind them. */
import { type Static, Type } from '@sinclair/typebox';
import { open } from '../../runtime/base/schema.ts';

/** One hub in GET /status. */
export const Hub = open(
  {
    /** Only present for the hub that holds the endpoint. */
    endpoint: Type.Optional(Type.String()),
    /** Port path, as Linux writes it. */
    port: Type.String(),
    vendorId: Type.String(),
    productId: Type.String(),
    make: Type.String(),
    model: Type.String(),
    /** `self`: it has a supply of its own; `bus`: what hangs behind it shares 500 mA (USB 2.0, 7.2.1). */
    power: Type.Union([Type.Literal('self'), Type.Literal('bus')]),
    /** What it may draw from the bus itself, where the bus tells (bMaxPower). */
    maxPowerMa: Type.Optional(Type.Integer()),
    /** What is plugged straight into it, by port. */
    ports: Type.Array(
      open({
        number: Type.Integer(),
        vendorId: Type.String(),
        productId: Type.String(),
        make: Type.String(),
        model: Type.String(),
        kind: Type.String(),
        endpoint: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'Hub' },
);
export type HubStatus = Static<typeof Hub>;

/** What this room adds to GET /status. */
export const HubsStatus = open({ usb: open({ channelsInUse: Type.Integer() }), hubs: Type.Array(Hub) });

declare module '../../runtime/kernel/registry.ts' {
  interface StatusBlocks {
    hub: Static<typeof HubsStatus>;
  }
}
