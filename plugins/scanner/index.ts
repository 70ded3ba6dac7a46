/** The scanner's configuration key. */
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import { ScannerConfig } from './contract.ts';

export default definePlugin({
  name: 'scanner',
  api: 1,
  config: [
    {
      key: 'scanner',
      schema: ScannerConfig,
      default: {
        readMode: 'auto',
        layout: 'us',
        minLength: 4,
        interKeyTimeoutMs: 120,
        duplicateWindowMs: 500,
        burstGapMs: 0,
        symbologies: [],
      },
    },
  ],
});
