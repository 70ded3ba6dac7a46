/** The room `peers`: the node's name, and the other nodes on the local network. */
import { isLoopback, servedLinks } from '../../bindings/served-links.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { BEACON_EVERY_MS, Beacon } from './beacon.ts';
import { NamedStatus, NodeBeacon, NodeName, NodeNamed, Peers } from './contract.ts';
import { PEER_TTL_MS } from './table.ts';

/** Memory for the longest list of peers and its JSON. */
const REPLY_BYTES = 256 * 1024;

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
        if (node.bindings.host.memoryLeft() < REPLY_BYTES) throw new ApiError('persist_failed', 'out of memory');
        return { peers: room.beacon?.peers() ?? [] };
      },
    }),
  ],
  room(node) {
    const room: Room = { beacon: undefined };
    node.hooks.status.tap('peers', (draft) => {
      const name = node.settings.read('name');
      if (name !== undefined) draft['identity'] = { ...(draft['identity'] as object | undefined), name };
    });
    node.hooks.start.tapPromise('peers', async () => {
      const { host } = node.run;
      if (isLoopback(host)) return;
      const beacon = new Beacon({
        links: () => servedLinks(host, node.bindings.links.list()),
        announce: () => announcement(node),
        isBeacon: (value): value is NodeBeacon => node.contract.fault(NodeBeacon, value) === undefined,
        id: node.deviceId,
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
