/** Schemas of the network routes (specification 2.10 and 3.5). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

const oneOf = <const T extends readonly string[]>(names: T, options: object = {}) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      options,
    ),
  );

/** The body of POST /network and POST /provision. */
export const WifiBody = closed(
  {
    ssid: Type.String({
      minLength: 1,
      // Its rules are in wifi-key.ts, which says in words what is wrong. One code unit here may be one byte.
      maxLength: 128,
      description:
        'name of the network, 1 to 32 bytes in UTF-8, without control characters; a byte that is not UTF-8 is a code unit U+DC80 to U+DCFF (PEP 383)',
    }),
    password: Type.String({
      // Its rule is in wifi-key.ts, which says in words what is wrong.
      maxLength: 128,
      description:
        '8 to 63 printable ASCII characters (IEEE 802.11, J.4.1), 64 hexadecimal digits (the key itself), or "" for an open network',
    }),
    // The schema accepts any band: one that the radio does not have gets an error code of its own.
    band: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        description: '"2.4", "5" or "auto"; "auto" if it is left out',
      }),
    ),
  },
  { $id: 'WifiBody', examples: [{ ssid: 'Corner Café', password: 'two flat whites' }] },
);
export type WifiBody = Static<typeof WifiBody>;

/** The response of both. */
export const WifiStored = open(
  { ok: Type.Literal(true), ssid: Type.String(), band: oneOf(['2.4', '5', 'auto']) },
  { $id: 'WifiStored' },
);

const Dotted = Type.Optional(Type.String({ description: 'IPv4, dotted decimal without leading zeros' }));
const ipv4 = { address: Dotted, netmask: Dotted, gateway: Dotted, dns: Dotted };

/** The body of PUT /network/ipv4. It replaces the stored settings: a field that is left out is cleared; {} is DHCP. */
export const Ipv4Body = closed(ipv4, {
  $id: 'Ipv4Body',
  examples: [{ address: '192.168.1.9', netmask: '255.255.255.0', gateway: '192.168.1.1', dns: '192.168.1.1' }],
});
export type Ipv4Body = Static<typeof Ipv4Body>;

/** The response of PUT /network/ipv4. */
export const Ipv4Stored = open(
  { ok: Type.Literal(true), ...ipv4, effective: Type.Literal('next_boot') },
  { $id: 'Ipv4Stored' },
);

const Known = Type.Union([Type.String(), Type.Null()], { description: 'null if there is none' });

/** Most networks of an answer, the strongest first. */
export const MOST_NETWORKS = 64;

/** The response of GET /network/nearby. */
export const NearbyNetworks = open(
  {
    networks: Type.Array(
      open({
        ssid: Type.String({ description: 'as in POST /network' }),
        band: oneOf(['2.4', '5']),
        security: oneOf(['open', 'owe', 'wep', 'personal', 'transition', 'wpa3', 'enterprise'], {
          description: 'owe: encrypted without a password (RFC 8110); personal: WPA or WPA2; transition: WPA2 and WPA3',
        }),
        signal: Type.Integer({ minimum: 0, maximum: 100, description: 'strength in percent' }),
      }),
      { maxItems: MOST_NETWORKS, description: 'in range, strongest first, without hidden ones' },
    ),
  },
  { $id: 'NearbyNetworks' },
);
export type NearbyNetworks = Static<typeof NearbyNetworks>;

/** The response of GET /network. */
export const NetworkView = open(
  {
    mode: oneOf(['setup', 'station', 'ethernet', 'offline']),
    ssid: Type.Optional(Type.String()),
    band: Type.Optional(oneOf(['2.4', '5'])),
    bands: Type.Array(oneOf(['2.4', '5']), { description: 'bands of the radio of this variant' }),
    signalDbm: Type.Optional(Type.Number()),
    ipv4: open({
      method: Type.Union([oneOf(['dhcp', 'static']), Type.Null()], { description: 'null if unknown' }),
      address: Known,
      netmask: Known,
      gateway: Known,
      dns: Known,
      fault: Type.Optional(
        oneOf(['taken', 'no_gateway', 'outside'], {
          description:
            'why the fixed address is not in use: another host has it; its gateway does not respond; it is of another network than the addresses that the router assigns, or nobody is heard in its network',
        }),
      ),
      fixed: Type.Optional(open(ipv4, { description: 'beside a fault: the fixed address that is not in use' })),
    }),
    lan: Type.Optional(
      open(
        {
          gateway: Type.Union([Type.Boolean(), Type.Null()], {
            description: 'the router responds; false: it did not within a second; null if unknown',
          }),
          others: Type.Union([Type.Boolean(), Type.Null()], {
            description:
              'another host responds; false: none of all addresses did, so the network may keep its devices apart; null if unknown',
          }),
        },
        { description: 'who responds to ARP; left out while it is on no network' },
      ),
    ),
    pendingIpv4: Type.Optional(open(ipv4, { description: 'settings from the next boot on; {} is DHCP' })),
    trying: Type.Optional(
      open(
        {
          to: oneOf(['join', 'open_setup']),
          ssid: Type.Optional(Type.String({ description: 'the network to join' })),
          attempt: Type.Integer({ minimum: 1, description: 'attempts in succession without success' }),
          lastFault: Type.Optional(
            oneOf(
              [
                'wrong_password',
                'no_network',
                'no_address',
                'address_taken',
                'timeout',
                'no_radio',
                'unmanaged',
                'failed',
              ],
              {
                description: 'fault of the last attempt that ended',
              },
            ),
          ),
        },
        { description: 'the current attempt; left out while it is on a network or its setup network is open' },
      ),
    ),
    mac: Type.String(),
    hostname: Type.String(),
    custodyHold: Type.Boolean(),
  },
  { $id: 'NetworkView' },
);
export type NetworkView = Static<typeof NetworkView>;
