/**
 * Radios that the kernel makes (mac80211_hwsim) and that hear each other: wlan0 for the node, managed as on any
 * Debian; the shop's access point and a phone in network namespaces of their own, each with a radio.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { load, startUdev } from './kernel.ts';

export const SHOP = { ssid: 'Shop: "Café" \\ 1', password: 'correct horse', band: 'auto' } as const;
export const SHOP_GATEWAY = '10.9.0.1';
const PHONE_MS = 90_000;
const NETWORK_MANAGER_MS = 120_000;

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const inside = (space: string, command: string, ...args: readonly string[]) =>
  run('ip', 'netns', 'exec', space, command, ...args);

/** Loads the radios, and starts the network manager with what the node's package brings for it. */
export async function startWireless(): Promise<void> {
  load('mac80211_hwsim', 'radios=3');
  for (const directory of ['/run/dbus', '/run/lab']) mkdirSync(directory, { recursive: true });
  for (const [number, space] of [
    [1, 'shop'],
    [2, 'phone'],
  ] as const) {
    run('ip', 'netns', 'add', space);
    run('iw', 'phy', `phy${number}`, 'set', 'netns', 'name', space);
    run('ip', '-n', space, 'link', 'set', 'lo', 'up');
    run('ip', '-n', space, 'link', 'set', `wlan${number}`, 'up');
  }
  startUdev();
  run('udevadm', 'trigger');
  run('udevadm', 'settle');
  writeFileSync('/etc/NetworkManager/dnsmasq-shared.d/tillnode.conf', 'address=/#/10.42.0.1\n');
  run('dbus-daemon', '--system', '--fork');
  run('NetworkManager');
  const giveUpAt = performance.now() + NETWORK_MANAGER_MS;
  while (!run('nmcli', '-t', '-f', 'DEVICE,STATE', 'device').includes('wlan0:disconnected')) {
    if (performance.now() > giveUpAt) throw new Error(`no radio: ${run('nmcli', 'device')}`);
    await delay(200);
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

/** The shop's access point, with DHCP. */
export async function openShop(): Promise<{ close(): Promise<void> }> {
  const { ssid, password } = SHOP;
  const point = supplicant('shop', 'wlan1', networkBlock(ssid, password, ['mode=2', 'frequency=2412']));
  await says(point, /AP-ENABLED/);
  run('ip', '-n', 'shop', 'address', 'replace', `${SHOP_GATEWAY}/24`, 'dev', 'wlan1');
  const range = ['--dhcp-range=10.9.0.50,10.9.0.60,1h', '--dhcp-leasefile=/run/lab/leases', '--port=0', '--user=root'];
  const args = ['netns', 'exec', 'shop', 'dnsmasq', '--keep-in-foreground', '--conf-file=/dev/null', ...range];
  const dhcp = spawn('ip', [...args, '--interface=wlan1', '--bind-interfaces'], { stdio: 'ignore' });
  return {
    async close() {
      await end(dhcp);
      await end(point);
    },
  };
}

/** A phone on somebody's network. */
export interface Phone {
  /** What DHCP gave it. */
  readonly address: string;
  /** Where a name leads. */
  lookUp(name: string): string;
  /** A page, with its answer's head. */
  fetch(url: string, ...options: readonly string[]): string;
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
  return {
    address,
    lookUp: (name) => inside('phone', 'busybox', 'nslookup', '-type=a', name, server),
    fetch: (url, ...options) => inside('phone', 'curl', '-sS', '-i', '--max-time', '30', ...options, url),
    async leave() {
      await end(radio);
      run('ip', '-n', 'phone', 'address', 'flush', 'dev', 'wlan2');
    },
  };
}
