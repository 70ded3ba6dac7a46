/**
 * Wi-Fi without hardware: the kernel's own radios and Debian's NetworkManager. Long: in `npm run lab`, not in `npm test`;
 * `.ci/run` has the binding alone (`RADIO=short`), `RADIO=joins` the networks of shops.
 */
import { joinSuite } from './guest/joins.ts';
import { radioSuite } from './guest/radio.ts';
import { onMachine } from './on-machine.ts';
import { WIRELESS_PACKAGES } from './packages.ts';

const part = process.env['RADIO'] ?? '';

onMachine({
  title: 'among real radios',
  program: 'radio-main.ts',
  suites: {
    ...(part !== 'joins' && { 'the native radio binding': radioSuite }),
    ...(part !== 'short' && { 'among the networks of shops': joinSuite }),
  },
  env: { RADIO: part },
  timeoutMs: 2_400_000,
  packages: WIRELESS_PACKAGES,
});
