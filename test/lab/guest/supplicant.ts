/** The network manager's own supplicant, and the network manager: stopped, killed, away and back. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { until } from './gadget.ts';

const PROGRAM = '/usr/sbin/wpa_supplicant';
const BUS_NAME = 'fi.w1.wpa_supplicant1';
const BUS_SERVICE = `/usr/share/dbus-1/system-services/${BUS_NAME}.service`;
/** There is no journal here. */
const LOG = '/run/lab/manager.log';
const LOOK_MS = 200;
const PATIENCE_MS = 60_000;

const commandOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
};
const processes = (wanted: (command: readonly string[]) => boolean): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wanted(commandOf(name)))
    .map(Number);
/** The supplicant of D-Bus; those of the shop and the phone have an interface of their own. */
const supplicants = () => processes(([path = '', ...rest]) => path.endsWith('wpa_supplicant') && rest.includes('-u'));
const managers = () => processes(([path = '']) => path.endsWith('NetworkManager'));

const signal = (pids: readonly number[], name: NodeJS.Signals) => {
  for (const pid of pids) process.kill(pid, name);
};
const goneAll = (pids: () => number[], what: string) =>
  until(async () => pids().length === 0 || undefined, what, PATIENCE_MS, LOOK_MS);

export const hang = () => signal(supplicants(), 'SIGSTOP');
export const goOn = () => signal(supplicants(), 'SIGCONT');

let isAway = false;

/** D-Bus starts it again when it is asked for, as systemd would. */
export const kill = () => signal(supplicants(), 'SIGKILL');

/** Kills it, and keeps it from being started until `comeBack`. */
export function goAway(): void {
  execFileSync('mount', ['--bind', '/bin/false', PROGRAM]);
  isAway = true;
  kill();
}

/** Where it is away. */
export function comeBack(): void {
  if (!isAway) return;
  isAway = false;
  execFileSync('umount', [PROGRAM]);
  // As its unit does, when the system has come so far.
  spawnSync('dbus-send', [
    ...['--system', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus'],
    ...['org.freedesktop.DBus.StartServiceByName', `string:${BUS_NAME}`, 'uint32:0'],
  ]);
}

/** Returns when it is there, not when it is ready: that is what a node meets at every start of its machine. */
export async function restartManager(): Promise<void> {
  signal(managers(), 'SIGTERM');
  await goneAll(managers, 'the network manager to end');
  kill();
  await goneAll(supplicants, 'its supplicant to end');
  // In place of the system's log, which nobody keeps here.
  writeFileSync(BUS_SERVICE, readFileSync(BUS_SERVICE, 'utf8').replace(' -s ', ` -d -t -f ${LOG} `));
  rmSync(LOG, { force: true });
  const log = openSync(LOG, 'a');
  spawn('NetworkManager', ['--debug', '--log-level=INFO'], { stdio: ['ignore', log, log] });
}

/** What the network manager has said since it was started, and its supplicant. */
export const saidByManager = (): string => readFileSync(LOG, 'utf8');
