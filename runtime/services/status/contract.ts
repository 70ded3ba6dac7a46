/** Schemas of GET /status, GET /peripherals and GET /devices/unknown (specification 2.1, 2.2 and 2.12). */
import { type Static, Type } from '@sinclair/typebox';
import { named, open, STATUS } from '../../base/schema.ts';

/** The condition of an endpoint (specification 2.2). */
export const Condition = Type.Union(
  (['never_seen', 'no_channel', 'gone', 'silent', 'bound'] as const).map((name) => Type.Literal(name)),
);

const Device = open({
  vendorId: Type.String(),
  productId: Type.String(),
  make: Type.String(),
  model: Type.String(),
  serial: Type.Optional(Type.String()),
  port: Type.String(),
});

/** Options in which a row of the cloud and the one of the image differ. */
const Options = Type.Record(Type.String(), Type.Unknown(), {
  description: 'the options in which the two rows differ, of those that decide what comes out',
});

const Recipe = open({
  id: Type.String(),
  tier: Type.Union([Type.Literal('cloud'), Type.Literal('cached'), Type.Literal('builtin'), Type.Literal('derived')]),
  codec: Type.String(),
  disagreement: Type.Optional(
    open({
      derived: Type.Optional(
        open({
          codec: Type.Optional(Type.String({ description: 'left out if only the kind is known' })),
          kind: Type.String(),
        }),
      ),
      builtin: Type.Optional(
        open({ id: Type.String(), codec: Type.Optional(Type.String()), kind: Type.String(), options: Options }),
      ),
      row: open({
        id: Type.String(),
        codec: Type.Optional(Type.String({ description: 'left out in a row that refuses' })),
        kind: Type.String(),
        options: Type.Optional(Options),
      }),
      followed: Type.Boolean({ description: 'the device is driven as the row says; else as derived' }),
      reason: Type.String(),
    }),
  ),
});

/** The response of GET /status; its parts are in the contracts of the rooms that add them. */
export const Status = named(STATUS);

/** This room's part of the status. */
export const NodeStatus = open(
  {
    identity: open({
      deviceId: Type.String(),
      variant: Type.String(),
      firmwareVersion: Type.String(),
      slot: Type.String(),
      endpoints: Type.Array(open({ id: Type.String(), kind: Type.String(), transport: Type.String() })),
    }),
    online: Type.Boolean(),
    uptimeSeconds: Type.Integer(),
    peripherals: Type.Array(
      open({
        endpoint: Type.String(),
        kind: Type.String(),
        condition: Condition,
        device: Type.Optional(Device),
        recipe: Type.Optional(Recipe),
        /** If several endpoints have this kind: by which property the node recognises the endpoint's device. */
        knownBy: Type.Optional(Type.Union([Type.Literal('serial'), Type.Literal('port')])),
        /** Where it is not the device that had this endpoint before: that one, which did not appear or was unplugged. */
        replaces: Type.Optional(
          open({
            vendorId: Type.String(),
            productId: Type.String(),
            serial: Type.String({ description: 'empty where it has none' }),
            port: Type.String(),
          }),
        ),
        sinceMs: Type.Optional(Type.Integer()),
        reason: Type.Optional(Type.String()),
      }),
    ),
    rejections: Type.Array(
      open({
        vendorId: Type.String(),
        productId: Type.String(),
        make: Type.String(),
        model: Type.String(),
        class: Type.String(),
        reason: Type.String(),
        detail: Type.Optional(Type.String()),
        ageMs: Type.Integer(),
        connected: Type.Boolean({ description: 'the device is still plugged in, and still refused for this reason' }),
      }),
    ),
    faults: Type.Array(
      open({
        plugin: Type.String(),
        where: Type.String({
          description: 'what it was doing: room, start, a hook, METHOD /path; "by itself": in a timer or the like',
        }),
        error: Type.String({ maxLength: 200 }),
        times: Type.Integer({ minimum: 1 }),
        off: Type.Boolean({ description: 'it could not start, and does nothing until the node is started again' }),
        ageMs: Type.Integer({ description: 'since the last time' }),
      }),
      { maxItems: 16, description: 'what plugins threw since the start, newest first: their faults, no refusals' },
    ),
    idempotency: open({
      mark: Type.String({
        description:
          'for `Idempotency-Mark` of a request that is sent first after this was read, and then again: names the last request with a key ' +
          'whose end is known here',
      }),
    }),
    usb: open(
      {
        channels: Type.Integer(),
        state: Type.Union([Type.Literal('ok'), Type.Literal('no_bus'), Type.Literal('no_access')]),
      },
      { $id: 'UsbStatus' },
    ),
  },
  { $id: 'NodeStatus' },
);

/** The response of GET /peripherals. */
export const Peripherals = open(
  {
    peripherals: Type.Array(
      open({
        id: Type.String(),
        kind: Type.String(),
        transport: Type.String(),
        capabilities: Type.Array(Type.String()),
        condition: Condition,
      }),
    ),
  },
  { $id: 'Peripherals' },
);

const Hex = Type.String({ pattern: '^[0-9a-f]{2}$' });

/** The response of GET /devices/unknown. */
export const UnknownDevices = open(
  {
    devices: Type.Array(
      open({
        vendorId: Type.String(),
        productId: Type.String(),
        make: Type.String(),
        model: Type.String(),
        /** The kind of the device; `unknown` if it was not classified. */
        class: Type.String(),
        interfaces: Type.Array(
          open({
            number: Type.Integer(),
            alternate: Type.Integer(),
            class: Hex,
            subclass: Hex,
            protocol: Hex,
            pipes: Type.Array(open({ address: Hex, direction: Type.String(), type: Type.String() })),
          }),
        ),
        /** `parked` waits for a quiet bus; `unknown` was probed, and nothing here knows it. */
        state: Type.Union((['met', 'parked', 'unknown', 'refused', 'gone'] as const).map((name) => Type.Literal(name))),
        reason: Type.Union([Type.String(), Type.Null()]),
        detail: Type.Optional(Type.String()),
        /** A row of the recipe table; its codec is '', and so is its kind if that is unknown. */
        draftRow: open({
          id: Type.String(),
          vendorId: Type.String(),
          productId: Type.String(),
          make: Type.String(),
          model: Type.String(),
          kind: Type.String(),
          codec: Type.String(),
          options: open({}),
        }),
        /** Time since it was connected, or since it was disconnected. */
        ageMs: Type.Integer(),
      }),
    ),
  },
  { $id: 'UnknownDevices' },
);

declare module '../../kernel/registry.ts' {
  interface StatusBlocks {
    status: Static<typeof NodeStatus>;
  }
}
