/**
 * Radios that the kernel makes (mac80211_hwsim) and that hear each other: wlan0 for the node, managed as on any
 * Debian; the shop's access point and a phone in network namespaces of their own, each with a radio.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { load, startUdev } from './kernel.ts';

export const SHOP = { ssid: 'Shop: "Café" \\ 1', password: 'correct horse', band: 'auto' } as const;
export const SHOP_GATEWAY = '10.9.0.1';
const LEASES = '/run/lab/leases';
const PHONE_MS = 90_000;
const NETWORK_MANAGER_MS = 120_000;
/** Each look is a second's work for an emulated machine that is busy starting what is looked for. */
const LOOK_MS = 1000;

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const inside = (space: string, command: string, ...args: readonly string[]) =>
  run('ip', 'netns', 'exec', space, command, ...args);

export interface Page {
  readonly code: number;
  /** Status line and header fields. */
  readonly head: string;
  readonly body: string;
}

/** A page as somebody in that namespace gets it. */
async function fetchIn(space: string, url: string, options: readonly string[]): Promise<Page> {
  const args = ['netns', 'exec', space, 'curl', '-sS', '-i', '--max-time', '30', ...options, url];
  const { stdout } = await promisify(execFile)('ip', args);
  return pageOf(stdout);
}

/** Heads that only tell to go on (RFC 9110, 15.2) are passed over: curl asks for one before a large body. */
function pageOf(text: string): Page {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const code = Number(head.split(' ')[1]);
  return code < 200 ? pageOf(body) : { code, head, body };
}

/** Radios of the node, the shop and the phone. */
export function makeRadios(): void {
  load('mac80211_hwsim', 'radios=3');
  for (const [number, space] of [
    [1, 'shop'],
    [2, 'phone'],
  ] as const) {
    run('ip', 'netns', 'add', space);
    run('iw', 'phy', `phy${number}`, 'set', 'netns', 'name', space);
    run('ip', '-n', space, 'link', 'set', 'lo', 'up');
    run('ip', '-n', space, 'link', 'set', `wlan${number}`, 'up');
  }
}

/** Starts the network manager, with what the node's package brings for it. */
async function startManaged(): Promise<void> {
  mkdirSync('/run/dbus', { recursive: true });
  startUdev();
  run('udevadm', 'trigger', '--subsystem-match=net');
  run('udevadm', 'settle');
  writeFileSync('/etc/NetworkManager/dnsmasq-shared.d/tillnode.conf', 'address=/#/192.0.2.1\nlocal=/#/\n');
  run('dbus-daemon', '--system', '--fork');
  run('NetworkManager');
  const giveUpAt = performance.now() + NETWORK_MANAGER_MS;
  while (!run('nmcli', '-t', '-f', 'DEVICE,STATE', 'device').includes('wlan0:disconnected')) {
    if (performance.now() > giveUpAt) throw new Error(`no radio: ${run('nmcli', 'device')}`);
    await delay(LOOK_MS);
  }
}

/** A network of wpa_supplicant's, as its configuration file has it. */
const networkBlock = (ssid: string, password: string, more: readonly string[] = []) =>
  [
    'ctrl_interface=/run/lab/control',
    'network={',
    `ssid=${Buffer.from(ssid).toString('hex')}`,
    // The key itself (IEEE 802.11, J.4): a passphrase there has no way to hold a quotation mark.
    `psk=${pbkdf2Sync(password, ssid, 4096, 32, 'sha1').toString('hex')}`,
    ...['key_mgmt=WPA-PSK', 'proto=RSN', 'pairwise=CCMP', ...more],
    '}\n',
  ].join('\n');

function supplicant(space: string, device: string, configuration: string): ChildProcess {
  const file = `/run/lab/${space}.conf`;
  writeFileSync(file, configuration, { mode: 0o600 });
  const args = ['netns', 'exec', space, 'wpa_supplicant', '-Dnl80211', `-i${device}`, `-c${file}`];
  return spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Resolves with the first line that one of the patterns is in. */
async function says(child: ChildProcess, ...patterns: readonly RegExp[]): Promise<string> {
  const heard: string[] = [];
  const timer = setTimeout(() => child.kill('SIGKILL'), PHONE_MS);
  try {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      heard.push(line);
      if (patterns.some((pattern) => pattern.test(line))) return line;
    }
    throw new Error(`it ended:\n${heard.slice(-20).join('\n')}`);
  } finally {
    clearTimeout(timer);
    child.stdout?.resume();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The shop's network, seen by somebody who is on it. */
export interface Shop {
  /** What DHCP gave to the node. */
  addressOf(mac: string): string | undefined;
  /** Gets a page, with options of curl(1). */
  fetch(url: string, ...options: readonly string[]): Promise<Page>;
  /** Runs a program; returns what it prints. */
  run(command: string, ...args: readonly string[]): Promise<string>;
}

let point: ChildProcess | undefined;

async function openPoint(configuration: string): Promise<void> {
  if (point !== undefined) await end(point);
  point = supplicant('shop', 'wlan1', configuration);
  await says(point, /AP-ENABLED/);
  run('ip', '-n', 'shop', 'address', 'replace', `${SHOP_GATEWAY}/24`, 'dev', 'wlan1');
}

/** Makes the shop's access point another one: its name in hexadecimal digits, and lines of wpa_supplicant.conf(5). */
export const becomesPoint = (name: string, ...lines: readonly string[]): Promise<void> =>
  openPoint(
    ['ctrl_interface=/run/lab/control', 'network={', `ssid=${name}`, 'mode=2', 'frequency=2412', ...lines, '}\n'].join(
      '\n',
    ),
  );

/** The bridge that joins the access points of hostapd, which has the address of the shop's router then. */
const BRIDGE = 'lan';

/** One network of an access point: lines of hostapd.conf(5). */
export type Network = readonly string[];

/**
 * Makes the shop's access point one of hostapd's, with one or more networks on one radio. They are bridged, so that each
 * has the shop's DHCP.
 */
export async function becomesRouter(channel: number, ...networks: readonly [Network, ...Network[]]): Promise<void> {
  if (point !== undefined) await end(point);
  if (!run('ip', '-n', 'shop', 'link').includes(` ${BRIDGE}:`)) {
    load('bridge');
    run('ip', '-n', 'shop', 'address', 'flush', 'dev', 'wlan1');
    run('ip', '-n', 'shop', 'link', 'add', BRIDGE, 'type', 'bridge', 'forward_delay', '0');
    run('ip', '-n', 'shop', 'address', 'add', `${SHOP_GATEWAY}/24`, 'dev', BRIDGE);
    run('ip', '-n', 'shop', 'link', 'set', BRIDGE, 'up');
  }
  const [first, ...others] = networks;
  const radio = ['interface=wlan1', 'driver=nl80211', 'hw_mode=g', `channel=${channel}`, 'bssid=02:00:00:00:01:00'];
  const lines = [...radio, `ctrl_interface=${CONTROL}`, `bridge=${BRIDGE}`, ...first];
  others.forEach((each, index) => {
    lines.push(`bss=wlan1_${index + 1}`, `bssid=02:00:00:00:01:0${index + 1}`, `bridge=${BRIDGE}`, ...each);
  });
  const file = '/run/lab/router.conf';
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  point = spawn('ip', ['netns', 'exec', 'shop', 'hostapd', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await says(point, /AP-ENABLED/);
}

const CONTROL = '/run/lab/router';

/** Has the shop's access point change its channel, as hostapd announces it to its stations (IEEE 802.11, 11.8). */
export async function changesChannel(mhz: number): Promise<void> {
  inside('shop', 'hostapd_cli', '-p', CONTROL, '-i', 'wlan1', 'chan_switch', '5', String(mhz));
  if (point !== undefined) await says(point, /AP-CSA-FINISHED/);
}

/** Switches the shop's access point off, until it becomes another one. */
export async function pointEnds(): Promise<void> {
  if (point !== undefined) await end(point);
  point = undefined;
}

/** The shop's access point, with DHCP, on a radio that was made. */
export async function openShop(): Promise<Shop> {
  mkdirSync('/run/lab', { recursive: true });
  const { ssid, password } = SHOP;
  await openPoint(networkBlock(ssid, password, ['mode=2', 'frequency=2412']));
  run('ip', '-n', 'shop', 'address', 'replace', `${SHOP_GATEWAY}/24`, 'dev', 'wlan1');
  const range = ['--dhcp-range=10.9.0.50,10.9.0.60,1h', `--dhcp-leasefile=${LEASES}`, '--port=0', '--user=root'];
  const args = ['netns', 'exec', 'shop', 'dnsmasq', '--keep-in-foreground', '--conf-file=/dev/null', ...range];
  spawn('ip', [...args, '--interface=wlan1', `--interface=${BRIDGE}`, '--bind-dynamic'], { stdio: 'ignore' });
  return {
    // No file before the first lease.
    addressOf: (mac) =>
      existsSync(LEASES) ? readFileSync(LEASES, 'utf8').split(`${mac} `)[1]?.split(' ')[0] : undefined,
    fetch: (url, ...options) => fetchIn('shop', url, options),
    async run(command, ...args) {
      return (await promisify(execFile)('ip', ['netns', 'exec', 'shop', command, ...args])).stdout;
    },
  };
}

let opened: Promise<Shop> | undefined;

/** The radios, the shop and the network manager, once for all suites. */
export function startWireless(): Promise<Shop> {
  opened ??= start();
  return opened;
}

async function start(): Promise<Shop> {
  makeRadios();
  // Before anybody looks around: a scan that is past its channel would be without it.
  const shop = await openShop();
  await startManaged();
  return shop;
}

/** A phone on somebody's network. */
export interface Phone {
  /** What DHCP gave it. */
  readonly address: string;
  /** Where a name leads. */
  lookUp(name: string): string;
  /** Gets a page, with options of curl(1); names lead where the network says. */
  fetch(url: string, ...options: readonly string[]): Promise<Page>;
  leave(): Promise<void>;
}

/** Undefined where the key is wrong. */
export async function phoneJoins(network: {
  readonly ssid: string;
  readonly password: string;
}): Promise<Phone | undefined> {
  const radio = supplicant('phone', 'wlan2', networkBlock(network.ssid, network.password));
  const said = await says(radio, /CTRL-EVENT-CONNECTED/, /pre-shared key may be incorrect|WRONG_KEY/);
  if (!said.includes('CTRL-EVENT-CONNECTED')) {
    await end(radio);
    return undefined;
  }
  const lease = inside('phone', 'sh', '-c', 'busybox udhcpc -i wlan2 -n -q -f -t 10 -s /bin/true 2>&1');
  const [, address = '', server = ''] = /lease of ([\d.]+) obtained from ([\d.]+)/.exec(lease) ?? [];
  run('ip', '-n', 'phone', 'address', 'replace', `${address}/24`, 'dev', 'wlan2');
  // ip-netns(8): this is its /etc/resolv.conf.
  mkdirSync('/etc/netns/phone', { recursive: true });
  writeFileSync('/etc/netns/phone/resolv.conf', `nameserver ${server}\n`);
  return {
    address,
    lookUp: (name) => inside('phone', 'busybox', 'nslookup', '-type=a', name, server),
    fetch: (url, ...options) => fetchIn('phone', url, options),
    async leave() {
      await end(radio);
      run('ip', '-n', 'phone', 'address', 'flush', 'dev', 'wlan2');
    },
  };
}
