/** The room `settings`: GET and PUT /config for the keys of every room, and the keys of the node itself. */
import { SHAPE_SENTENCES } from '../../base/shape-faults.ts';
import { type ConfigDeclaration, invalidConfig } from '../../kernel/config.ts';
import { definePlugin, route } from '../../kernel/plugin.ts';
import { Config, ConfigPatch, ConfigStored, Hosts } from './contract.ts';
import { API_KEY_LIMITS, apiKey, apiMode, patchFor } from './keys.ts';

const hosts: ConfigDeclaration = {
  key: 'hosts',
  schema: Hosts,
  default: [],
  check(next) {
    // Case is no difference between names (RFC 4343).
    const names = new Set(next.hosts.map((host) => host.toLowerCase()));
    if (names.size < next.hosts.length) throw invalidConfig(`hosts: ${SHAPE_SENTENCES.twice}`);
  },
};

export default definePlugin({
  name: 'settings',
  api: 2,
  limits: API_KEY_LIMITS,
  config: [apiMode, apiKey, hosts],
  routes: [
    route({
      method: 'GET',
      path: '/config',
      tier: 'none',
      summary: 'configuration; credentials only as set flags',
      response: Config,
      handle: ({ node }) => node.config.view(),
    }),
    route({
      method: 'PUT',
      path: '/config',
      tier: 'admin',
      summary: 'change some keys, all or none; replacing a stored API key needs that key in every mode',
      body: { schema: ConfigPatch, invalid: 'invalid_config' },
      response: ConfigStored,
      errors: ['api_locked', 'invalid_config', 'persist_failed'],
      always: true,
      handle: async (call) => {
        await patchFor(call);
        return { ok: true, ...call.node.config.view() };
      },
    }),
  ],
});
