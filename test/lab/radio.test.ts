/** Wi-Fi without hardware: radios that the same kernel makes, and Debian's own NetworkManager. */
import { radioSuite } from './guest/radio.ts';
import { onMachine } from './on-machine.ts';
import { WIRELESS_PACKAGES } from './packages.ts';

onMachine({
  title: 'among real radios',
  program: 'radio-main.ts',
  suites: { 'the native radio binding': radioSuite },
  timeoutMs: 600_000,
  packages: WIRELESS_PACKAGES,
});
