/** The room `peers`: the node's name, and the other nodes on the local network. */
import { defined } from '../../base/defined.ts';
import { isLoopback } from '../../base/loopback.ts';
import { servedLinks } from '../../bindings/served-links.ts';
import { newDeviceId } from '../../kernel/device-id.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { BEACON_EVERY_MS, Beacon } from './beacon.ts';
import { IdentityRenewed, NamedStatus, NodeBeacon, NodeName, NodeNamed, Peers } from './contract.ts';
import { DoubleSlip } from './double-slip.ts';
import { Doubles } from './doubles.ts';
import { PEER_TTL_MS } from './table.ts';

/** Memory for an empty list of peers, and for each of them with its JSON. */
const REPLY_BYTES = 64 * 1024;
const PEER_BYTES = 1024;
/** Number of addresses of doubles in the status. */
const TOLD_DOUBLES = 8;
/**
 * Doubles by mDNS: a name is announced twice, a second apart, and its records live for two minutes (RFC 6762, 8.3 and 10).
 */
const CLAIMS = { forMs: 500, ttlMs: 120_000 };

interface Room {
  /** Undefined if the node cannot be reached from the network. */
  beacon: Beacon | undefined;
}

const route = routesOf<Room>();

export default definePlugin({
  name: 'peers',
  api: 2,
  requires: ['settings'],
  inputs: [NodeBeacon],
  status: NamedStatus,
  limits: { beaconEveryMs: BEACON_EVERY_MS, peerTtlMs: PEER_TTL_MS },
  routes: [
    route({
      method: 'PUT',
      path: '/name',
      tier: 'admin',
      summary: 'name the node',
      body: { schema: NodeName, invalid: 'invalid_config' },
      response: NodeNamed,
      errors: ['invalid_config', 'persist_failed'],
      handle: async ({ node, body: { name } }) => {
        await node.settings.update((draft) => {
          draft.name = name;
        });
        node.hooks.presence.call();
        return { ok: true, name };
      },
    }),
    route({
      method: 'GET',
      path: '/peers',
      tier: 'none',
      summary: 'other nodes on the local network, with a beacon in the last 15 seconds',
      response: Peers,
      errors: ['persist_failed'],
      handle: ({ node, room }) => {
        const needed = REPLY_BYTES + PEER_BYTES * (room.beacon?.heard ?? 0);
        if (node.bindings.host.memoryLeft() < needed) throw new ApiError('persist_failed', 'out of memory');
        return { peers: room.beacon?.peers() ?? [] };
      },
    }),
    route({
      method: 'POST',
      path: '/identity/renew',
      tier: 'admin',
      summary: 'become a new node: another device id and host name, from the next boot on',
      response: IdentityRenewed,
      errors: ['persist_failed'],
      handle: async ({ node }) => {
        const next = node.settings.read('identity')?.next ?? newDeviceId();
        await node.settings.update((draft) => {
          draft.identity = { deviceId: node.deviceId, next };
        });
        return { ok: true, deviceId: next, effective: 'next_boot' };
      },
    }),
  ],
  room(node) {
    const room: Room = { beacon: undefined };
    const claims = new Doubles(CLAIMS);
    const doubles = (most: number): readonly string[] => [
      ...new Set([...(room.beacon?.doubles(most) ?? []), ...claims.list(performance.now(), most)]),
    ];
    const slip = new DoubleSlip(node, () => doubles(1)[0]);
    node.offered('discovery')?.doubled.tap('peers', (address, isThere) => {
      if (!isThere) claims.forget(address);
      else if (claims.hear(address, performance.now())) void slip.print();
    });
    node.hooks.status.tap('peers', (draft) => {
      const name = node.settings.read('name');
      const addresses = doubles(TOLD_DOUBLES).slice(0, TOLD_DOUBLES);
      const pending = node.settings.read('identity')?.next;
      draft['identity'] = {
        ...(draft['identity'] as object | undefined),
        ...defined({ name }),
        ...(addresses.length > 0 && { duplicate: { addresses } }),
        ...defined({ pendingDeviceId: pending }),
      };
    });
    node.hooks.heartbeat.tap('peers', (draft) => {
      if (doubles(1).length > 0) draft['duplicate'] = true;
    });
    node.hooks.attach.tap('peers', () => void slip.print());
    node.hooks.start.tapPromise('peers', async () => {
      const { host } = node.run;
      if (isLoopback(host)) return;
      const beacon = new Beacon({
        links: () => servedLinks(host, node.bindings.links.list()),
        announce: () => announcement(node),
        isBeacon: (value): value is NodeBeacon => node.contract.fault(NodeBeacon, value) === undefined,
        id: node.deviceId,
        own: () => node.bindings.links.list().flatMap(({ addresses }) => addresses.map(({ address }) => address)),
        doubled: () => void slip.print(),
        log: node.log,
      });
      room.beacon = beacon;
      await beacon.start();
    });
    node.hooks.stop.tapPromise('peers', async () => room.beacon?.stop());
    return room;
  },
});

/** The node's beacon; undefined while its HTTP port is unknown, if it was started on any port. */
function announcement(node: Node): NodeBeacon | undefined {
  const { variant, version } = node.image;
  const httpPort = Number(node.listening.get('http')?.split(':').at(-1) ?? node.run.port);
  if (httpPort === 0) return undefined;
  return {
    type: 'node_beacon',
    id: node.deviceId,
    name: node.settings.read('name') ?? '',
    variant,
    firmwareVersion: version,
    httpPort,
  };
}
