/** The network connection of the machine, read from NetworkManager. */

import { defined } from '../../base/defined.ts';
import { netmaskOf, prefixOf } from '../ipv4.ts';
import type { Band, Ipv4Settings, NetworkState } from '../network.ts';
import { ssidOf } from '../ssid.ts';
import { macOf, pluggedOf, signalOf } from './kernel-network.ts';
import { blocksOf, rowsOf } from './nmcli.ts';

/** Name of the access point's connection in NetworkManager. */
export const SETUP_CONNECTION = 'tillnode-setup';

/** Runs `nmcli` with these arguments and resolves with its output. Rejects with a RadioError. */
export type Ask = (...args: readonly string[]) => Promise<string>;

/** A network device that NetworkManager lists. */
export interface ManagedDevice {
  readonly name: string;
  /** `wifi`, `ethernet`, and others. */
  readonly type: string;
  /** NMDeviceState: 10 unmanaged, 20 unavailable, 30 disconnected, 100 activated. */
  readonly state: number;
  /** Name of its active connection; '' if it has none. */
  readonly connection: string;
  readonly ipv4: NetworkState['ipv4'];
}

/** All network devices that NetworkManager lists, managed or not. Rejects with a RadioError. */
export async function managedDevices(ask: Ask): Promise<ManagedDevice[]> {
  const general = ['DEVICE', 'TYPE', 'STATE', 'CONNECTION'].map((field) => `GENERAL.${field}`);
  const text = await ask('-t', '-f', [...general, 'IP4', 'DHCP4'].join(','), 'device', 'show');
  return blocksOf(text).map((block) => ({
    name: block.get('GENERAL.DEVICE') ?? '',
    type: block.get('GENERAL.TYPE') ?? '',
    state: Number.parseInt(block.get('GENERAL.STATE') ?? '0', 10),
    connection: block.get('GENERAL.CONNECTION') ?? '',
    ipv4: ipv4Of(block),
  }));
}

/** The first address of a device. `method` is `dhcp` if this address is the one that DHCP assigned. */
function ipv4Of(block: ReadonlyMap<string, string>): NetworkState['ipv4'] {
  const [address, prefix] = (block.get('IP4.ADDRESS[1]') ?? '').split('/');
  if (!address || prefix === undefined) return undefined;
  const gateway = block.get('IP4.GATEWAY');
  const dns = block.get('IP4.DNS[1]');
  const leased = [...block].some(([key, value]) => key.startsWith('DHCP4.') && value === `ip_address = ${address}`);
  return {
    method: leased ? 'dhcp' : 'static',
    address,
    netmask: netmaskOf(Number(prefix)),
    ...(gateway && { gateway }),
    ...(dns && { dns }),
  };
}

const DISCONNECTED = 30;
/** NM_DEVICE_STATE_ACTIVATED: connected to a network. */
export const ACTIVATED = 100;

/** Whether a device is neither connecting to a network nor disconnecting from one. */
const isSettled = ({ state }: ManagedDevice): boolean => state <= DISCONNECTED || state === ACTIVATED;

/**
 * The current connection: Ethernet first, then Wi-Fi. Undefined if no managed device has an address or is changing its
 * state, so that the kernel's view (`kernelState`) is needed. Rejects with a RadioError.
 */
export async function managedState(ask: Ask): Promise<NetworkState | undefined> {
  const devices = (await managedDevices(ask)).filter(({ type }) => type === 'ethernet' || type === 'wifi');
  const settled = devices.filter((each) => isSettled(each) && each.ipv4 && !each.ipv4.address.startsWith('169.254.'));
  const device = settled.find(({ type }) => type === 'ethernet') ?? settled[0];
  if (device?.ipv4 === undefined) {
    // The kernel still has the address of the connection that is ending, and cannot tell if that was the access point.
    const moving = devices.find((each) => !isSettled(each));
    return moving && { mode: 'offline', mac: await macOf(moving.name) };
  }
  const mac = await macOf(device.name);
  if (device.type === 'ethernet') {
    const plugged = await pluggedOf(device.name);
    return { mode: 'ethernet', ipv4: device.ipv4, mac, ...defined({ plugged }) };
  }
  const list = await ask(
    '-t',
    '-f',
    'IN-USE,SSID-HEX,FREQ',
    'device',
    'wifi',
    'list',
    'ifname',
    device.name,
    '--rescan',
    'no',
  );
  const [, hex = '', frequency = ''] = rowsOf(list).find(([inUse]) => inUse === '*') ?? [];
  const ssid = ssidIn(hex);
  const band = bandOf(frequency);
  const mode = device.connection === SETUP_CONNECTION ? 'setup' : 'station';
  const signalDbm = mode === 'station' ? await signalOf(device.name) : undefined;
  return {
    mode,
    ...defined({ ssid, band, signalDbm }),
    ipv4: device.ipv4,
    mac,
  };
}

/** The name of a network, from hexadecimal bytes; undefined if it has none to ask for: a hidden one sends NULs. */
export function ssidIn(hex: string): string | undefined {
  const ssid = ssidOf(Buffer.from(hex, 'hex'));
  return /^\P{Cc}+$/u.test(ssid) ? ssid : undefined;
}

/** The band of a frequency such as `2412 MHz`; undefined outside both bands (6 GHz begins at 5925 MHz). */
export function bandOf(frequency: string): Band | undefined {
  const mhz = Number.parseInt(frequency, 10);
  if (mhz > 2400 && mhz < 2500) return '2.4';
  return mhz > 4900 && mhz < 5925 ? '5' : undefined;
}

/** Address and prefix in CIDR notation (RFC 4632), for example 192.168.1.20/24. */
export const cidrOf = ({ address, netmask }: Ipv4Settings): string => `${address}/${prefixOf(netmask)}`;
