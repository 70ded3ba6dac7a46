/** Shape of GET /status and GET /peripherals (specification 2.1 and 2.2). */
import { Type } from '@sinclair/typebox';
import { open } from '../../kernel/schema.ts';

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

const Recipe = open({
  id: Type.String(),
  tier: Type.Union([Type.Literal('cloud'), Type.Literal('cached'), Type.Literal('builtin'), Type.Literal('derived')]),
  codec: Type.String(),
  disagreement: Type.Optional(
    open({
      derived: open({ codec: Type.String(), kind: Type.String() }),
      row: open({ codec: Type.String(), kind: Type.String() }),
    }),
  ),
});

export const Status = open(
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
    printers: Type.Array(open({ type: Type.Literal('printer_status'), endpoint: Type.String() })),
    peripherals: Type.Array(
      open({
        endpoint: Type.String(),
        kind: Type.String(),
        condition: Condition,
        device: Type.Optional(Device),
        recipe: Type.Optional(Recipe),
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
      }),
    ),
    usb: open({ channels: Type.Integer(), state: Type.String() }),
  },
  { $id: 'Status' },
);

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
