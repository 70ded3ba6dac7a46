/** Wi-Fi without hardware: the kernel's own radios and Debian's NetworkManager. Long: in `npm run lab`, not in `npm test`. */
import { radioSuite } from './guest/radio.ts';
import { onMachine } from './on-machine.ts';
import { WIRELESS_PACKAGES } from './packages.ts';

onMachine({
  title: 'among real radios',
  program: 'radio-main.ts',
  suites: { 'the native radio binding': radioSuite },
  timeoutMs: 2_400_000,
  packages: WIRELESS_PACKAGES,
});
