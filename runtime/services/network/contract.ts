/** Shapes of the network routes (specification 2.10 and 3.5). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8 } from '../../kernel/schema.ts';

const oneOf = <const T extends readonly string[]>(names: T, options: object = {}) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      options,
    ),
  );

export const WifiBody = closed(
  {
    ssid: utf8(32, {
      minLength: 1,
      // Half a surrogate pair has no bytes; a control character is nobody's network name.
      pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
      description: 'name of the network, 1 to 32 bytes in UTF-8, without control characters',
    }),
    password: Type.String({
      pattern: '^([ -~]{8,63})?$',
      description: '8 to 63 printable ASCII characters (IEEE 802.11, J.4.1), or "" for an open network',
    }),
    // A band that no radio here has is refused by its own code, so it is not for the schema to refuse.
    band: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        description: '"2.4", "5" or "auto", which it is where it is left out',
      }),
    ),
  },
  { $id: 'WifiBody' },
);
export type WifiBody = Static<typeof WifiBody>;

export const WifiStored = open(
  { ok: Type.Literal(true), ssid: Type.String(), band: oneOf(['2.4', '5', 'auto']) },
  { $id: 'WifiStored' },
);

const Dotted = Type.Optional(Type.String({ description: 'IPv4, dotted decimal without leading zeros' }));
const ipv4 = { address: Dotted, netmask: Dotted, gateway: Dotted, dns: Dotted };

/** Replaces what is stored: a field that is left out is cleared, and {} is DHCP. */
export const Ipv4Body = closed(ipv4, { $id: 'Ipv4Body' });
export type Ipv4Body = Static<typeof Ipv4Body>;

export const Ipv4Stored = open(
  { ok: Type.Literal(true), ...ipv4, effective: Type.Literal('next_boot') },
  { $id: 'Ipv4Stored' },
);

const Known = Type.Union([Type.String(), Type.Null()], { description: 'null where there is none' });

export const NetworkView = open(
  {
    mode: oneOf(['setup', 'station', 'ethernet', 'offline']),
    ssid: Type.Optional(Type.String()),
    band: Type.Optional(oneOf(['2.4', '5'])),
    bands: Type.Array(oneOf(['2.4', '5']), { description: 'what the radio of this variant has' }),
    signalDbm: Type.Optional(Type.Number()),
    ipv4: open({
      method: Type.Union([oneOf(['dhcp', 'static']), Type.Null()], { description: 'null where nobody tells' }),
      address: Known,
      netmask: Known,
      gateway: Known,
      dns: Known,
    }),
    pendingIpv4: Type.Optional(open(ipv4, { description: 'what the next boot takes; {} is DHCP' })),
    trying: Type.Optional(
      open(
        {
          to: oneOf(['join', 'open_setup']),
          ssid: Type.Optional(Type.String({ description: 'of the network to join' })),
          attempt: Type.Integer({ minimum: 1, description: 'in a row without success' }),
          lastFault: Type.Optional(
            oneOf(['wrong_password', 'no_network', 'no_address', 'timeout', 'no_radio', 'unmanaged', 'failed'], {
              description: 'what became of the last attempt that ended',
            }),
          ),
        },
        { description: 'what the node is at; left out once it is on a network, or its own is open' },
      ),
    ),
    mac: Type.String(),
    hostname: Type.String(),
    custodyHold: Type.Boolean(),
  },
  { $id: 'NetworkView' },
);
export type NetworkView = Static<typeof NetworkView>;
