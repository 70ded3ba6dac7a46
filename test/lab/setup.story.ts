/** A whole setup over Wi-Fi, with the built image. Long: `npm run lab` has it, `npm test` has not. */
import { setupSuite } from './guest/setup.ts';
import { onMachine } from './on-machine.ts';
import { WIRELESS_PACKAGES } from './packages.ts';

onMachine({
  title: 'among real radios',
  program: 'setup-main.ts',
  programs: ['impatient-node.ts'],
  suites: { 'setting the node up': setupSuite },
  timeoutMs: 2_400_000,
  packages: WIRELESS_PACKAGES,
});
