/** The network manager's own supplicant, and the network manager: stopped, killed, away and back. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './gadget.ts';

const PROGRAM = '/usr/sbin/wpa_supplicant';
const BUS_NAME = 'fi.w1.wpa_supplicant1';
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
/** That of D-Bus; those of the shop and the phone have an interface of their own. */
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
  execFileSync('NetworkManager', { stdio: 'ignore' });
}
