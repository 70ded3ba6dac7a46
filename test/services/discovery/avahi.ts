/** avahi-daemon(8) on a host of a test network, with a message bus of its own, and what its tools see from there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../netns.ts';
import { until } from '../../node.ts';

/** One line of `avahi-browse -p -r`. */
export interface Seen {
  readonly family: string;
  readonly instance: string;
  readonly type: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly txt: readonly string[];
}

export interface Avahi {
  /** Every service of a type that answers now, resolved, IPv4 and IPv6 apart. */
  browse(type: string): Seen[];
  /** Follows what comes (`+`) and goes (`-`) from now on, as `+ NAME`. */
  follow(type: string): readonly string[];
  resolve(...args: readonly string[]): string;
  /** Offers a service, or a host name beside its own; resolves once the name is its. Arguments of avahi-publish(1). */
  publish(...args: readonly string[]): Promise<void>;
  /** Forgets all it knows. */
  restart(): Promise<void>;
  remove(): void;
}

const BUS = (directory: string) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${directory}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy>
</busconfig>`;

const DAEMON = (name: string, reflects: boolean) => `[server]
host-name=${name}
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
ratelimit-interval-usec=1000000
ratelimit-burst=1000
[publish]
publish-hinfo=no
publish-workstation=no
[reflector]
enable-reflector=${reflects ? 'yes' : 'no'}
`;

/** avahi-browse writes \DDD for a byte that is not plain in a name. */
const plain = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code))).replace(/\\(.)/g, '$1');

/** `reflects`: tells each of its interfaces what it hears on the others. */
export async function startAvahi(host: Host, name: string, { reflects = false } = {}): Promise<Avahi> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-avahi-'));
  const env = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${directory}/bus` };
  writeFileSync(join(directory, 'bus.conf'), BUS(directory));
  writeFileSync(join(directory, 'avahi.conf'), DAEMON(name, reflects));
  const run = (command: string, ...args: readonly string[]) =>
    host.run('env', `DBUS_SYSTEM_BUS_ADDRESS=${env.DBUS_SYSTEM_BUS_ADDRESS}`, command, ...args);
  host.spawn('dbus-daemon', [`--config-file=${directory}/bus.conf`, '--nofork', '--nopidfile'], env);

  // Avahi keeps a pid file and refuses to run twice: each daemon gets a /run of its own.
  const start = async () => {
    const daemon = `mount -t tmpfs tmpfs /run && exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f ${directory}/avahi.conf`;
    const child = host.spawn('unshare', ['--mount', 'sh', '-c', daemon], env);
    let log = '';
    child.stderr?.on('data', (chunk) => {
      log += String(chunk);
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(`avahi-daemon ended: ${log}`);
      return log.includes('Server startup complete');
    });
    return child;
  };
  const isUp = () => {
    try {
      run(
        'dbus-send',
        '--system',
        '--print-reply',
        '--dest=org.freedesktop.DBus',
        '/',
        'org.freedesktop.DBus.ListNames',
      );
      return true;
    } catch {
      return false;
    }
  };
  await until(isUp);
  let daemon = await start();
  return {
    browse: (type) =>
      run('avahi-browse', '-rpt', type)
        .split('\n')
        .filter((line) => line.startsWith('='))
        .map((line) => {
          const [, , family = '', instance = '', serviceType = '', , target = '', address = '', port, txt = ''] =
            line.split(';');
          const strings = [...txt.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text).reverse();
          return {
            family,
            instance: plain(instance),
            type: serviceType,
            host: target,
            address,
            port: Number(port),
            txt: strings,
          };
        }),
    follow(type) {
      const seen: string[] = [];
      const child = host.spawn('avahi-browse', ['-p', type], env);
      let rest = '';
      child.stdout?.on('data', (chunk) => {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [event = '', , , instance = ''] = line.split(';');
          seen.push(`${event} ${plain(instance)}`);
        }
      });
      return seen;
    },
    resolve: (...args) => run('avahi-resolve', ...args).trim(),
    async publish(...args) {
      const child = host.spawn('avahi-publish', args, env);
      let said = '';
      child.stderr?.on('data', (chunk) => {
        said += String(chunk);
      });
      await until(() => said.includes('Established'));
    },
    async restart() {
      const gone = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill('SIGKILL');
      await gone;
      daemon = await start();
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
