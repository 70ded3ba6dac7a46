/** How the machine is on the network, as the kernel tells: no program is asked. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { NetworkState } from '../bindings.ts';

const INTERFACES = '/sys/class/net';

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** In dBm. The network manager has only a percentage that ends at -40 dBm and is older. */
export async function signalOf(name: string): Promise<number | undefined> {
  const table = await readFile('/proc/net/wireless', 'utf8').catch(() => '');
  const line = table.split('\n').find((each) => each.trim().startsWith(`${name}:`));
  const level = Number.parseInt(line?.trim().split(/\s+/)[3] ?? '', 10);
  return level < 0 ? level : undefined;
}

/** Of the radio itself, where there is one: a Wi-Fi interface looks around under addresses made up. */
export async function macOf(name: string): Promise<string> {
  for (const file of ['phy80211/macaddress', 'address']) {
    const text = await readFile(`${INTERFACES}/${name}/${file}`, 'utf8').catch(() => undefined);
    if (text !== undefined) return text.trim().toLowerCase();
  }
  return '';
}

/**
 * By the interface of the default route, or else a piece of hardware with an address. Who gave the address the kernel
 * does not know; most come by DHCP.
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
    ...(signalDbm !== undefined && { signalDbm }),
    ipv4: { method: 'dhcp', address: own.address, netmask: own.netmask, ...(gateway && { gateway }) },
    mac: own.mac,
  };
}

/** Interfaces that are no mere idea of the kernel, radios first. */
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

/** proc(5), /proc/net/route: addresses as the machine keeps them, so the last byte comes first. */
async function defaultRoute(): Promise<{ readonly name: string; readonly gateway: string } | undefined> {
  const table = await readFile('/proc/net/route', 'utf8').catch(() => '');
  const routes = table.split('\n').map((line) => line.split('\t'));
  const [name, , hex = ''] =
    routes.find(([, destination, , , , , , mask]) => destination === '00000000' && mask === destination) ?? [];
  if (name === undefined || !/^[0-9A-F]{8}$/.test(hex)) return undefined;
  return { name, gateway: [...Buffer.from(hex, 'hex')].reverse().join('.') };
}
