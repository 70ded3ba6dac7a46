/** The diagnostic ring's switch. */
import { definePlugin } from '../../kernel/plugin.ts';
import { Capture } from './contract.ts';

export default definePlugin({
  name: 'capture',
  api: 1,
  config: [{ key: 'capture', schema: Capture, default: false }],
});
