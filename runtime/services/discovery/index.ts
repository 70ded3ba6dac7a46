/** How the node is found: its configuration keys, and the responder behind them. */
import { invalidConfig } from '../../kernel/config.ts';
import { ensureDeviceId } from '../../kernel/device-id.ts';
import { definePlugin, type Plugin } from '../../kernel/plugin.ts';
import { CustomProfile, DiscoveryPart, Profile } from './contract.ts';
import { Discovery, type ProfileConfig } from './discovery.ts';
import { errors } from './errors.ts';
import { type OpenWire, openUdp } from './wire.ts';

/** Tests bring a wire of their own. */
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
          const { make, model } = next['customProfile'] as CustomProfile;
          if (next['profile'] === 'custom' && (make === undefined || model === undefined)) {
            throw invalidConfig('profile custom needs a customProfile with make and model');
          }
        },
      },
    ],
    room(node) {
      let discovery: Discovery | undefined;
      const { hooks } = node;
      hooks.start.tapPromise('discovery', async () => {
        const deviceId = await ensureDeviceId(node.settings);
        discovery = new Discovery(node, { deviceId, open, ...(switchMs !== undefined && { switchMs }) });
        discovery.refresh();
      });
      hooks.status.tap('discovery', (draft) => {
        if (discovery !== undefined) draft['discovery'] = discovery.status();
      });
      hooks.presence.tap('discovery', () => discovery?.refresh());
      for (const key of ['profile', 'customProfile']) {
        hooks.configure.for(key).tapPromise('discovery', async ({ next }) => {
          await discovery?.switchTo(next as unknown as ProfileConfig);
        });
      }
      // The first to stop: clients hear the goodbye before the ports close.
      hooks.stop.tapPromise({ name: 'discovery', stage: 100 }, async () => discovery?.stop());
    },
  });

export default createDiscovery(openUdp);
