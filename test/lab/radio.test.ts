/** Wi-Fi without hardware: radios that the same kernel makes, and Debian's own NetworkManager. */
import { radioSuite } from './guest/radio.ts';
import { onMachine } from './on-machine.ts';

onMachine({
  title: 'among real radios',
  program: 'network-main.ts',
  suites: { 'the native radio binding': radioSuite },
  packages: ['dbus', 'network-manager', 'wpasupplicant', 'dnsmasq-base', 'nftables', 'iw', 'curl'],
});
