/** The discovery room: its configuration keys and taps. */
import { SyncHook } from 'tapable';
import { defined } from '../../base/defined.ts';
import { invalidConfig } from '../../kernel/config.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, type Plugin } from '../../kernel/plugin.ts';
import {
  CustomProfile,
  type DiscoveryOffer,
  DiscoveryPart,
  type PrinterService,
  Profile,
  type ProfileRow,
} from './contract.ts';
import { Discovery } from './discovery.ts';
import { errors } from './errors.ts';
import { rowOf } from './identity.ts';
import { type OpenWire, openUdp } from './wire.ts';

class Offered implements DiscoveryOffer {
  readonly services = new SyncHook<[PrinterService[], string]>(['services', 'endpoint']);
  readonly doubled = new SyncHook<[string, boolean]>(['address', 'isThere']);
  discovery: Discovery | undefined;

  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  instanceOf(endpoint: string): string | undefined {
    return this.discovery?.instanceOf(endpoint);
  }

  modelOf(): Pick<ProfileRow, 'make' | 'model'> | undefined {
    const { config } = this.#node;
    const profile = config.get('profile');
    return profile === 'generic' ? undefined : rowOf(profile, config.get('customProfile'));
  }
}

/** The plugin; `open` opens the sockets (tests give their own), `switchMs` limits a switch of profiles. */
export const createDiscovery = (open: OpenWire, switchMs?: number): Plugin =>
  definePlugin({
    name: 'discovery',
    api: 2,
    adds: { 'PUT /config': ['profile_switch_failed', 'profile_rollback_failed'] },
    errors,
    status: DiscoveryPart,
    config: [
      { key: 'profile', schema: Profile, default: 'generic' },
      {
        key: 'customProfile',
        schema: CustomProfile,
        default: {},
        check(next) {
          const { make, model } = next.customProfile;
          if (next.profile === 'custom' && (make === undefined || model === undefined)) {
            throw invalidConfig('profile custom needs a customProfile with make and model');
          }
        },
      },
    ],
    offers: (node) => new Offered(node),
    room(node, offered) {
      let discovery: Discovery | undefined;
      const { hooks } = node;
      hooks.start.tap('discovery', () => {
        const { services, doubled } = offered;
        discovery = new Discovery(node, { open, services, doubled, ...defined({ switchMs }) });
        offered.discovery = discovery;
        discovery.refresh();
      });
      hooks.status.tap('discovery', (draft) => {
        if (discovery !== undefined) draft['discovery'] = discovery.status();
      });
      hooks.presence.tap('discovery', () => discovery?.refresh());
      for (const key of ['profile', 'customProfile'] as const) {
        hooks.configure.for(key).tapPromise('discovery', async ({ next }) => {
          await discovery?.switchTo(next);
        });
      }
      // Stops first, so that clients get the goodbye packets before the ports close.
      hooks.stop.tapPromise({ name: 'discovery', stage: 100 }, async () => discovery?.stop());
    },
  });

export default createDiscovery(openUdp);
