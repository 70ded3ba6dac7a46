/** Wi-Fi without hardware: radios that the same kernel makes, and Debian's own NetworkManager. */
import { radioSuite } from './guest/radio.ts';
import { setupSuite } from './guest/setup.ts';
import { onMachine } from './on-machine.ts';

/** A limit for the slowest of machines; an idle one needs a fifth of it. */
const BOOT_MS = 900_000;

onMachine({
  title: 'among real radios',
  program: 'network-main.ts',
  programs: ['impatient-node.ts'],
  suites: { 'the native radio binding': radioSuite, 'setting the node up': setupSuite },
  timeoutMs: BOOT_MS,
  packages: ['dbus', 'network-manager', 'wpasupplicant', 'dnsmasq-base', 'nftables', 'iw', 'curl'],
});
