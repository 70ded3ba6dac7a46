/** Schemas of the node's name, the beacon and the list of peers (specification 2.11, 2.12 and 8). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8 } from '../../base/schema.ts';

const NAME_BYTES = 63;
/** One line of text: no control characters, line breaks, direction overrides or lone surrogates. */
const ONE_LINE = '^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Cs}]*$';

/**
 * One line with at least one visible character, and no invisible one at either end. Some letters and symbols are shown as nothing
 * (UAX #44, Default_Ignorable_Code_Point; U+2800 is the blank of Braille).
 */
const VISIBLE = `^(?=.*(?![\\p{Default_Ignorable_Code_Point}\\u2800])[\\p{L}\\p{N}\\p{P}\\p{S}])(?![\\p{Z}\\p{Cf}])(?!.*[\\p{Z}\\p{Cf}]$)${ONE_LINE.slice(1)}`;

/** The body of PUT /name. */
export const NodeName = closed(
  {
    name: utf8(NAME_BYTES, {
      minLength: 1,
      pattern: VISIBLE,
      description: 'name of this node for people, on one line',
    }),
  },
  { $id: 'NodeName', examples: [{ name: 'Bar' }] },
);
export type NodeName = Static<typeof NodeName>;

/** The response of PUT /name. */
export const NodeNamed = open({ ok: Type.Literal(true), name: Type.String() }, { $id: 'NodeNamed' });

/** A datagram on UDP 9101, as JSON; at most 512 bytes with any values. */
export const NodeBeacon = closed(
  {
    type: Type.Literal('node_beacon'),
    id: Type.String({ pattern: '^[0-9a-f]{8}$', description: 'device id of the sender' }),
    name: utf8(NAME_BYTES, { pattern: ONE_LINE, description: 'empty where nobody named it' }),
    variant: Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }),
    firmwareVersion: Type.String({ pattern: '^[A-Za-z0-9.+-]{1,64}$' }),
    httpPort: Type.Integer({ minimum: 1, maximum: 65535 }),
  },
  { $id: 'NodeBeacon' },
);
export type NodeBeacon = Static<typeof NodeBeacon>;

/** This room's part of the status. */
export const NamedStatus = open({
  identity: open({
    name: Type.Optional(Type.String({ description: 'absent if it has no name' })),
    duplicate: Type.Optional(
      open(
        { addresses: Type.Array(Type.String(), { minItems: 1, maxItems: 8 }) },
        {
          description: 'present while other devices with the device id of this node are heard: its storage was copied',
        },
      ),
    ),
    pendingDeviceId: Type.Optional(Type.String({ description: 'the device id from the next boot on' })),
  }),
});

/** The response of POST /identity/renew. */
export const IdentityRenewed = open(
  {
    ok: Type.Literal(true),
    deviceId: Type.String({ description: 'the new one' }),
    effective: Type.Literal('next_boot'),
  },
  { $id: 'IdentityRenewed' },
);

/** The response of GET /peers. */
export const Peers = open(
  {
    peers: Type.Array(
      open({
        id: Type.String(),
        name: Type.String({ description: 'empty where nobody named it' }),
        address: Type.String({ description: 'source address of its beacon' }),
        variant: Type.String(),
        firmwareVersion: Type.String(),
        httpPort: Type.Integer(),
        ageMs: Type.Integer({ description: 'time since its last beacon' }),
      }),
    ),
  },
  { $id: 'Peers' },
);

declare module '../../kernel/registry.ts' {
  interface StatusBlocks {
    peers: Static<typeof NamedStatus>;
  }
}
