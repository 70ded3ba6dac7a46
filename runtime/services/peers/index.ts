/** What the node is called, and which others are near. */
import { isLoopback, servedLinks } from '../../bindings/served-links.ts';
import { ensureDeviceId } from '../../kernel/device-id.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Call, definePlugin, route } from '../../kernel/plugin.ts';
import { BEACON_EVERY_MS, Beacon } from './beacon.ts';
import { NamedStatus, NodeBeacon, NodeName, NodeNamed, Peers } from './contract.ts';
import { PEER_TTL_MS } from './table.ts';

const SECTION = 'name';
/** A list of all the peers there can be, and the JSON of it. */
const REPLY_BYTES = 256 * 1024;

const beacons = new WeakMap<Kernel, Beacon>();

export default definePlugin({
  name: 'peers',
  api: 1,
  requires: ['settings'],
  inputs: [NodeBeacon],
  status: NamedStatus,
  limits: { beaconEveryMs: BEACON_EVERY_MS, peerTtlMs: PEER_TTL_MS },
  routes: [
    route({
      method: 'PUT',
      path: '/name',
      tier: 'admin',
      summary: 'what people call this node',
      body: { schema: NodeName, invalid: 'invalid_config' },
      response: NodeNamed,
      errors: ['invalid_config', 'persist_failed'],
      handle: async ({ kernel, body: { name } }: Call<NodeName>) => {
        await kernel.settings.update((draft) => {
          draft[SECTION] = name;
        });
        kernel.hooks.presence.call();
        return { ok: true, name };
      },
    }),
    route({
      method: 'GET',
      path: '/peers',
      tier: 'none',
      summary: 'other nodes heard on the same local network in the last 15 seconds',
      response: Peers,
      errors: ['persist_failed'],
      handle: ({ kernel }) => {
        if (kernel.bindings.host.memoryLeft() < REPLY_BYTES) throw new ApiError('persist_failed', 'out of memory');
        return { peers: beacons.get(kernel)?.peers() ?? [] };
      },
    }),
  ],
  apply(kernel) {
    kernel.hooks.status.tap('peers', (draft) => {
      const name = nameOf(kernel);
      if (name !== undefined) draft['identity'] = { ...(draft['identity'] as object | undefined), name };
    });
    kernel.hooks.start.tapPromise('peers', async () => {
      const { host } = kernel.run;
      if (isLoopback(host)) return;
      const id = await ensureDeviceId(kernel.settings);
      const beacon = new Beacon({
        links: () => servedLinks(host, kernel.bindings.links.list()),
        announce: () => announcement(kernel, id),
        isBeacon: (value): value is NodeBeacon => kernel.contract.fault(NodeBeacon, value) === undefined,
        id,
        log: kernel.log,
      });
      beacons.set(kernel, beacon);
      await beacon.start();
    });
    kernel.hooks.stop.tapPromise('peers', async () => beacons.get(kernel)?.stop());
  },
});

const nameOf = ({ settings }: Kernel) => settings.read(SECTION) as string | undefined;

/** Undefined while it is not known which port the HTTP front will have: the node was started on any port. */
function announcement(kernel: Kernel, id: string): NodeBeacon | undefined {
  const { variant, version } = kernel.image;
  const httpPort = Number(kernel.listening.get('http')?.split(':').at(-1) ?? kernel.run.port);
  if (httpPort === 0) return undefined;
  return { type: 'node_beacon', id, name: nameOf(kernel) ?? '', variant, firmwareVersion: version, httpPort };
}
