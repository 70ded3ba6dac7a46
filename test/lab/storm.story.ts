/**
 * Devices that come and go all the time, in a machine of their own. Long: `npm run lab` has it, `npm test` has not.
 * LAB_CYCLES says how often each is pulled out and plugged in, LAB_SEED in which order.
 */
import { STORM_BOOT_MS, stormEnv, stormSuite } from './guest/storm.ts';
import { onMachine } from './on-machine.ts';

onMachine({
  title: 'in a storm of plugs',
  program: 'storm-main.ts',
  suites: { 'printer, scanner and scale': stormSuite },
  timeoutMs: STORM_BOOT_MS,
  env: stormEnv,
});
