/** The configuration keys of the compatibility profile. */
import { invalidConfig } from '../../kernel/config.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { CustomProfile, Profile } from './contract.ts';

export default definePlugin({
  name: 'discovery',
  api: 1,
  config: [
    { key: 'profile', schema: Profile, default: 'generic' },
    {
      key: 'customProfile',
      schema: CustomProfile,
      default: {},
      check(next) {
        const { make, model } = next['customProfile'] as { readonly make?: string; readonly model?: string };
        if (next['profile'] === 'custom' && (make === undefined || model === undefined)) {
          throw invalidConfig('profile custom needs a customProfile with make and model');
        }
      },
    },
  ],
});
