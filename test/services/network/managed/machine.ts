/**
 * A machine with Debian's own NetworkManager, and the shop that its cable leads to: a bridge with a router and other
 * hosts, each in a network namespace. NetworkManager runs from packages that are unpacked for the lab, in a mount
 * namespace with a root of its own, so that nothing is installed or changed here.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { unpackPackages, WIRELESS_PACKAGES } from '../../../lab/packages.ts';
import { until } from '../../../node.ts';

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const asked = promisify(execFile);

/** Runs as root of the new mount namespace; `$1` packages, `$2` its own folder. The rest is what it executes. */
const ROOT = `
set -e
packages=$1; own=$2; shift 2
mount --make-rprivate /
mount -t tmpfs tmpfs "$own"
mkdir "$own/up" "$own/work" "$own/root"
cp -a "$packages" "$own/packages"
root=$own/root
mount -t overlay overlay -o "lowerdir=$own/packages:/,upperdir=$own/up,workdir=$own/work" "$root"
mount -t proc proc "$root/proc"
# Read-only: NetworkManager then does not wait for udev to name the devices.
mount -t sysfs -o ro sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount --rbind "$PWD" "$root$PWD"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/dbus" "$root/run/NetworkManager" "$root/var/lib/NetworkManager"
printf '[main]\\nplugins=keyfile\\ndhcp=internal\\nrc-manager=unmanaged\\n[device]\\nmatch-device=*\\nmanaged=1\\n' \\
  > "$root/etc/NetworkManager/NetworkManager.conf"
cat > "$root/start" <<'END'
dbus-daemon --system --fork
NetworkManager
cd "$1"; shift
exec "$@"
END
exec chroot "$root" /bin/sh /start "$PWD" "$@"
`;

let machines = 0;

/** What `GET /network` said, and from where it was reached. */
export interface Found {
  readonly address: string;
  readonly mode: string;
  readonly ipv4: Readonly<Record<string, unknown>>;
  readonly trying?: { readonly to: string };
}

export interface Shop {
  /** Another host of the shop, on the bridge: `router` is one of them. */
  host(name: string, ...addresses: readonly string[]): string;
  /** DHCP by that host, until the function that it returns is called. Arguments of dnsmasq(8). */
  dhcp(host: string, ...args: readonly string[]): () => Promise<void>;
  /** Starts the node with these stored settings; the cable is in unless it was unplugged before. */
  node(settings: object): void;
  plug(isIn: boolean): void;
  /** The button is held for 5 seconds. */
  forget(): void;
  /** What the node tells to a host at this address; undefined where nobody answers. */
  ask(host: string, address: string): Promise<Found | undefined>;
  /** What the node's own machine sees of it, whatever its address. */
  own(): Promise<Found | undefined>;
  /** Waits until the node's own machine sees this of it. */
  owns(fits: (own: Found) => boolean): Promise<void>;
  /** The hardware address that answers ARP for this address, as that host sees it; undefined if there is none. */
  whoHas(host: string, address: string): string | undefined;
  readonly mac: string;
  /** Everything that the node printed. */
  readonly slips: readonly string[];
  readonly child: ChildProcess;
  ip(host: string, ...args: readonly string[]): string;
  close(): Promise<void>;
}

/** Unpacks what the machines run, once. Needs root and, for the first time, Debian's archive. */
export const unpack = (): string => unpackPackages(WIRELESS_PACKAGES);

/** Between two questions to the node: each is a process, and the machine has more to do. */
const ASK_EVERY_MS = 200;

/** A shop with a node that has not been started. `program`: the bundle of `node.ts`. */
export function openShop(packages: string, program: string): Shop {
  machines += 1;
  const id = `tm${process.pid % 10_000}x${machines}`;
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-managed-'));
  /** For env(1): what is unpacked comes before what the host has. */
  const unpacked = [
    `LD_LIBRARY_PATH=${packages}/usr/lib/x86_64-linux-gnu`,
    `PATH=${packages}/usr/bin:${packages}/usr/sbin:${process.env['PATH'] ?? ''}`,
  ];
  const spaces: string[] = [];
  const children = new Set<ChildProcess>();
  const slips: string[] = [];
  let main: ChildProcess | undefined;
  const space = (name: string): string => `${id}${name}`;
  const ip = (host: string, ...args: readonly string[]) => run('ip', '-n', space(host), ...args);
  const add = (name: string): void => {
    run('ip', 'netns', 'add', space(name));
    spaces.push(space(name));
    ip(name, 'link', 'set', 'lo', 'up');
  };
  add('hub');
  ip('hub', 'link', 'add', 'hub', 'type', 'bridge', 'forward_delay', '0');
  ip('hub', 'link', 'set', 'hub', 'up');
  const wire = (name: string, device: string): void => {
    ip('hub', 'link', 'add', `p${name}`, 'type', 'veth', 'peer', 'name', device, 'netns', space(name));
    ip('hub', 'link', 'set', `p${name}`, 'master', 'hub', 'up');
  };
  add('box');
  wire('box', 'eth0');
  const mac = /link\/ether (\S+)/.exec(ip('box', 'link', 'show', 'eth0'))?.[1] ?? '';
  const start = (host: string, command: string, ...args: readonly string[]) => {
    const child = spawn('ip', ['netns', 'exec', space(host), command, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const end = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const ask = async (host: string, address: string): Promise<Found | undefined> => {
    const curl = ['curl', '--silent', '--fail', '--max-time', '2', `http://${address}/network`];
    const answer = await asked('ip', ['netns', 'exec', space(host), 'env', ...unpacked, ...curl]).catch(
      () => undefined,
    );
    await delay(ASK_EVERY_MS);
    return answer && { address, ...(JSON.parse(answer.stdout) as Omit<Found, 'address'>) };
  };
  const own = () => ask('box', '127.0.0.1');
  return {
    mac,
    slips,
    get child() {
      if (main === undefined) throw new Error('the node was not started');
      return main;
    },
    ip,
    ask,
    own,
    owns: async (fits) => {
      await until(own, (seen) => seen !== undefined && fits(seen));
    },
    host(name, ...addresses) {
      add(name);
      wire(name, 'lan0');
      for (const address of addresses) ip(name, 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', 'lan0');
      ip(name, 'link', 'set', 'lan0', 'up');
      return name;
    },
    dhcp(host, ...args) {
      const leases = join(folder, `../${id}-${host}.leases`);
      const fixed = [
        '--keep-in-foreground',
        '--conf-file=/dev/null',
        '--port=0',
        '--user=root',
        '--no-ping',
        '--dhcp-authoritative',
      ];
      const child = start(
        host,
        'env',
        ...unpacked,
        'dnsmasq',
        ...fixed,
        `--dhcp-leasefile=${leases}`,
        '--interface=lan0',
        '--pid-file',
        ...args,
      );
      return () => end(child);
    },
    node(settings) {
      const script = join(tmpdir(), `${id}.sh`);
      writeFileSync(script, ROOT);
      const inside = [process.execPath, program, JSON.stringify(settings)];
      main = start(
        'box',
        'unshare',
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        script,
        packages,
        folder,
        ...inside,
      );
      let rest = '';
      main.stdout?.on('data', (chunk) => {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        slips.push(...lines);
      });
    },
    forget() {
      const pids = run('pgrep', '-f', program).trim().split('\n').map(Number);
      const inBox = run('ip', 'netns', 'pids', space('box')).trim().split('\n').map(Number);
      const node = pids.filter((pid) => inBox.includes(pid)).sort((a, b) => b - a)[0];
      if (node !== undefined) process.kill(node, 'SIGUSR1');
    },
    plug: (isIn) => void ip('hub', 'link', 'set', 'pbox', isIn ? 'up' : 'down'),
    whoHas(host, address) {
      ip(host, 'neigh', 'flush', 'all');
      run('ip', 'netns', 'exec', space(host), 'bash', '-c', `echo > /dev/udp/${address}/9; sleep 1.5`);
      return /lladdr (\S+)/.exec(ip(host, 'neigh', 'show', address))?.[1];
    },
    async close() {
      await Promise.all([...children].map(end));
      for (const name of spaces) run('ip', 'netns', 'del', name);
      for (const left of [join(tmpdir(), `${id}.sh`), folder]) rmSync(left, { recursive: true, force: true });
    },
  };
}

/** Waits until the node is reached by a host of the shop at an address that fits. */
export const found = (shop: Shop, host: string, fits: (found: Found) => boolean = () => true): Promise<Found> =>
  until(
    async () => {
      const address = (await shop.own())?.ipv4['address'];
      return typeof address === 'string' ? shop.ask(host, address) : undefined;
    },
    (seen): seen is Found => seen !== undefined && fits(seen),
  ) as Promise<Found>;
