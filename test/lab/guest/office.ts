/**
 * A computer of somebody in the shop, on a network with the node: avahi, and Debian's CUPS as it is installed, in a network
 * namespace of its own (ip-netns(8), cupsd.conf(5), cups-files.conf(5)).
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { OPEN, settings } from '../../cups-files.ts';
import { until } from './gadget.ts';
import { load } from './kernel.ts';

const SPACE = 'office';
/** Addresses of the node, and of the computer (RFC 5737). */
export const NODE = '192.0.2.1';
const COMPUTER = '192.0.2.2';
const ROOT = '/run/office';
const SOCKET = `${ROOT}/socket`;
const QUEUE = 'till';
const PATIENCE_MS = 300_000;
const LOOK_MS = 500;
const env = { ...process.env, CUPS_SERVER: SOCKET, LC_ALL: 'C' };
const system = (command: string, ...args: readonly string[]) => execFileSync(command, args, { encoding: 'utf8', env });

/** A cable between the node and the computer. */
export function connectOffice(): void {
  load('veth');
  system('ip', 'netns', 'add', SPACE);
  system('ip', 'link', 'add', 'shop', 'type', 'veth', 'peer', 'name', 'desk', 'netns', SPACE);
  system('ip', 'address', 'add', `${NODE}/24`, 'dev', 'shop');
  system('ip', '-n', SPACE, 'address', 'add', `${COMPUTER}/24`, 'dev', 'desk');
  for (const [space, device] of [
    [[], 'shop'],
    [['-n', SPACE], 'desk'],
    [['-n', SPACE], 'lo'],
  ] as const)
    system('ip', ...space, 'link', 'set', device, 'up');
}

/** Runs a program on the computer; resolves with what it says, however it ends. */
export async function onComputer(command: string, args: readonly string[], cwd = '/'): Promise<string> {
  const whole = ['netns', 'exec', SPACE, command, ...args];
  return promisify(execFile)('ip', whole, { env, cwd, encoding: 'utf8' }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: Error & { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}${error.message}`,
  );
}

/** What somebody there does with the queue. */
export interface Computer {
  /** Queues a file; gives its number. */
  print(file: string, ...options: readonly string[]): Promise<number>;
  cancel(job: number): Promise<void>;
  /** Resolves when CUPS has nothing to print, with the numbers of the jobs that it calls completed. */
  idle(): Promise<readonly number[]>;
  /** The printer-state-reasons that CUPS has for the queue. */
  reasons(): Promise<string>;
  log(): string;
}

/** Starts avahi and CUPS; resolves with the URIs of printers that `driverless` finds, once there is one. */
export async function startOffice(): Promise<readonly string[]> {
  for (const name of ['spool/tmp', 'cache', 'run', 'ppd']) mkdirSync(`${ROOT}/${name}`, { recursive: true });
  mkdirSync('/run/dbus', { recursive: true });
  writeFileSync(
    '/etc/nsswitch.conf',
    'passwd: files\ngroup: files\nhosts: files mdns4_minimal [NOTFOUND=return] dns\n',
  );
  // As the `mime.convs` of CUPS has it, which Debian's cups-daemon makes when it is installed.
  const raster = ['image/urf', 'image/pwg-raster'].map((to) => `application/vnd.cups-raster ${to} 100 rastertopwg\n`);
  writeFileSync('/usr/share/cups/mime/mime.convs', raster.join(''));
  const files = {
    ...{ ServerRoot: ROOT, StateDir: `${ROOT}/run`, CacheDir: `${ROOT}/cache`, RequestRoot: `${ROOT}/spool` },
    ...{ TempDir: `${ROOT}/spool/tmp`, ErrorLog: `${ROOT}/log`, AccessLog: `${ROOT}/access`, PageLog: `${ROOT}/page` },
  };
  writeFileSync(`${ROOT}/cups-files.conf`, settings(files));
  const scheduler = { Listen: SOCKET, LogLevel: 'debug', MaxLogSize: 0, JobRetryInterval: 1, MaxJobs: 0 };
  writeFileSync(`${ROOT}/cupsd.conf`, settings({ ...scheduler, Browsing: 'No', WebInterface: 'No' }) + OPEN);
  system('dbus-daemon', '--system', '--fork');
  const start = (...command: readonly string[]) =>
    spawn('ip', ['netns', 'exec', SPACE, ...command], { stdio: 'ignore' });
  start('avahi-daemon', '--no-drop-root', '--no-chroot', '--no-rlimits');
  start('/usr/sbin/cupsd', '-f', '-c', `${ROOT}/cupsd.conf`, '-s', `${ROOT}/cups-files.conf`);
  await until(async () => existsSync(SOCKET) || undefined, 'cupsd to listen', PATIENCE_MS, LOOK_MS);
  return until(
    async () => {
      const found = (await onComputer('driverless', [])).split('\n').filter((line) => /^ipps?:/.test(line));
      return found.length > 0 ? found : undefined;
    },
    'driverless to find a printer',
    PATIENCE_MS,
    LOOK_MS,
  );
}

/** Starts the printer that CUPS has for tests (ippeveprinter(1)); resolves with its URI once it answers. */
export async function startReference(): Promise<string> {
  const port = 18_631;
  spawn('ip', ['netns', 'exec', SPACE, 'ippeveprinter', '-p', String(port), '-d', ROOT, 'reference'], {
    stdio: 'ignore',
  });
  const uri = `ipp://127.0.0.1:${port}/ipp/print`;
  const answers = async () => /\bprinter-name\b/.test(await attributesOf(uri)) || undefined;
  await until(answers, 'ippeveprinter to answer', PATIENCE_MS, LOOK_MS);
  return uri;
}

/** What a printer says of itself, as ipptool(1) prints it. */
export const attributesOf = (uri: string): Promise<string> =>
  onComputer('ipptool', ['-tv', uri, 'get-printer-attributes.test']);

const log = () => readFileSync(`${ROOT}/log`, 'utf8');

/** Makes a queue without a driver for what was found. */
export async function addQueue(uri: string): Promise<Computer> {
  const said = await onComputer('lpadmin', ['-p', QUEUE, '-E', '-v', uri, '-m', 'everywhere']);
  // It makes its driver in the background; what it gets before, it sends as it is.
  const hasDriver = async () => log().includes(`load_ppd: Saving ${ROOT}/cache`) || undefined;
  await until(hasDriver, `CUPS to make its driver: ${said}`, PATIENCE_MS, LOOK_MS);
  const waiting = async () => (await onComputer('lpstat', ['-W', 'not-completed', '-o', QUEUE])).includes(`${QUEUE}-`);
  return {
    async print(file, ...options) {
      const args = ['-d', QUEUE, ...options.flatMap((option) => ['-o', option]), file];
      const queued = await onComputer('lp', args);
      const number = /-(\d+) /.exec(queued)?.[1];
      if (number === undefined) throw new Error(queued);
      return Number(number);
    },
    async cancel(job) {
      await onComputer('cancel', [`${QUEUE}-${job}`]);
    },
    async idle() {
      await until(async () => !(await waiting()) || undefined, 'CUPS to be idle', PATIENCE_MS, LOOK_MS);
      return [...log().matchAll(/\[Job (\d+)\] Job completed\./g)].map(([, id]) => Number(id));
    },
    async reasons() {
      return /Alerts: (.*)/.exec(await onComputer('lpstat', ['-l', '-p', QUEUE]))?.[1] ?? '';
    },
    log,
  };
}
