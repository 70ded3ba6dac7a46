/** The network connection of the machine, read from the Linux kernel (/sys and /proc) without any other program. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { defined } from '../../base/defined.ts';
import type { NetworkState } from '../network.ts';

const INTERFACES = '/sys/class/net';

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Signal strength of a Wi-Fi interface in dBm; undefined if unknown. (NetworkManager has only an older value in
 * percent, which is 100 from -40 dBm up.)
 */
export async function signalOf(name: string): Promise<number | undefined> {
  const table = await readFile('/proc/net/wireless', 'utf8').catch(() => '');
  const line = table.split('\n').find((each) => each.trim().startsWith(`${name}:`));
  const level = Number.parseInt(line?.trim().split(/\s+/)[3] ?? '', 10);
  return level < 0 ? level : undefined;
}

/**
 * MAC address of a network interface, lower case; '' if there is none. For Wi-Fi that of the radio, as an interface
 * scans with random addresses.
 */
export async function macOf(name: string): Promise<string> {
  for (const file of ['phy80211/macaddress', 'address']) {
    const text = await readFile(`${INTERFACES}/${name}/${file}`, 'utf8').catch(() => undefined);
    if (text !== undefined) return text.trim().toLowerCase();
  }
  return '';
}

/**
 * How often the link of an interface came up since the machine started; undefined if that is not known
 * (Linux, Documentation/ABI/testing/sysfs-class-net, carrier_up_count).
 */
export async function pluggedOf(name: string): Promise<number | undefined> {
  const text = await readFile(`${INTERFACES}/${name}/carrier_up_count`, 'utf8').catch(() => '');
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/**
 * The state of the interface with the default route, else of a hardware interface with an IPv4 address. `method` is
 * always `dhcp`: the kernel does not know where an address comes from.
 */
export async function kernelState(): Promise<NetworkState> {
  const route = await defaultRoute();
  const hardware = await hardwareNames();
  const found = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map((each) => ({ name, ...each })),
  );
  const own = found.find(({ name }) => name === route?.name) ?? found.find(({ name }) => hardware.includes(name));
  if (own === undefined) return { mode: 'offline', mac: await macOf(hardware[0] ?? '-') };
  const isWireless = await exists(`${INTERFACES}/${own.name}/wireless`);
  const signalDbm = isWireless ? await signalOf(own.name) : undefined;
  const gateway = own.name === route?.name ? route.gateway : undefined;
  return {
    mode: isWireless ? 'station' : 'ethernet',
    ...defined({ signalDbm }),
    ipv4: { method: 'dhcp', address: own.address, netmask: own.netmask, ...(gateway && { gateway }) },
    mac: own.mac,
  };
}

/** Names of the interfaces that are hardware (not bridges or tunnels), radios first. */
async function hardwareNames(): Promise<string[]> {
  const names = await readdir(INTERFACES).catch(() => []);
  const ranks = await Promise.all(
    names.map(async (name) => ({
      name,
      isHardware: await exists(`${INTERFACES}/${name}/device`),
      isRadio: await exists(`${INTERFACES}/${name}/phy80211`),
    })),
  );
  const hardware = ranks.filter(({ isHardware }) => isHardware);
  return [...hardware.filter(({ isRadio }) => isRadio), ...hardware.filter(({ isRadio }) => !isRadio)].map(
    ({ name }) => name,
  );
}

/** The default route out of /proc/net/route (proc(5)), where addresses are hexadecimal with the last byte first. */
async function defaultRoute(): Promise<{ readonly name: string; readonly gateway: string } | undefined> {
  const table = await readFile('/proc/net/route', 'utf8').catch(() => '');
  const routes = table.split('\n').map((line) => line.split('\t'));
  const [name, , hex = ''] =
    routes.find(([, destination, , , , , , mask]) => destination === '00000000' && mask === destination) ?? [];
  if (name === undefined || !/^[0-9A-F]{8}$/.test(hex)) return undefined;
  return { name, gateway: [...Buffer.from(hex, 'hex')].reverse().join('.') };
}
