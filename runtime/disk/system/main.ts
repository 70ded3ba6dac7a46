/**
 * What a disk runs beside its node: `system.js serve` answers one connection on its standard input and output, which
 * systemd hands over (tillnode-system.socket); `system.js good` ends when a system that is tried works; `system.js prepared`
 * takes what stands in `tillnode.txt`.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../kernel/thrown.ts';
import { type Input, install, type Target } from './install.ts';
import { callsOf, makeCalls } from './prepared.ts';

const BOOT = '/boot';
const FACTORY = '/usr/lib/tillnode/factory/image.json';
const HOME = '/data/system';
/** What was installed last. */
const TRIAL = `${HOME}/trial.json`;
/** A copy of the file that was put on the boot partition. */
const PREPARED = `${HOME}/tillnode.txt`;
const NODE = 'http://127.0.0.1';
const ASK_MS = 10_000;
const PAUSE_MS = 2000;

interface Status {
  readonly peripherals: readonly { readonly endpoint: string; readonly kind: string; readonly condition: string }[];
}

/** Endpoints of printers that are bound; undefined if the node does not answer. */
async function boundPrinters(): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${NODE}/status`, { signal: AbortSignal.timeout(ASK_MS) });
    if (!response.ok) return undefined;
    const { peripherals } = (await response.json()) as Status;
    return peripherals
      .filter(({ kind, condition }) => kind === 'printer' && condition === 'bound')
      .map(({ endpoint }) => endpoint);
  } catch {
    return undefined;
  }
}

/** Resolves when the node answers, and the printers are bound that were when this system was installed. */
async function good(): Promise<void> {
  const { printers } = trial();
  for (;;) {
    const bound = await boundPrinters();
    if (bound !== undefined && printers.every((endpoint) => bound.includes(endpoint))) return;
    await delay(PAUSE_MS);
  }
}

function trial(): { readonly printers: readonly string[] } {
  try {
    return JSON.parse(readFileSync(TRIAL, 'utf8'));
  } catch {
    return { printers: [] };
  }
}

/** The system that does not run, on the disk of the one that does. */
function target(): Target {
  const [, running] = /(?:^| )tillnode\.root=([ab]):/.exec(readFileSync('/proc/cmdline', 'utf8')) ?? [];
  const slot = running === 'a' ? 'b' : 'a';
  const disk = readFileSync('/run/tillnode/disk', 'utf8').trim();
  const about = `/sys/class/block/${disk}`;
  const name = readdirSync(about).find((entry) => {
    if (!entry.startsWith(disk)) return false;
    return readFileSync(`${about}/${entry}/uevent`, 'utf8').split('\n').includes(`PARTNAME=root_${slot}`);
  });
  if (running === undefined || name === undefined) throw new Error('this disk has no other system');
  const { variant, trustedKeys, securityFloor } = JSON.parse(readFileSync(FACTORY, 'utf8')) as Target;
  return { slot, device: `/dev/${name}`, boot: BOOT, variant, trustedKeys, securityFloor };
}

class Connection implements Input {
  readonly #chunks: AsyncIterator<Buffer> = process.stdin[Symbol.asyncIterator]();
  #rest: Buffer = Buffer.alloc(0);

  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) await this.#more();
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async line(): Promise<string> {
    while (!this.#rest.includes('\n')) await this.#more();
    const end = this.#rest.indexOf('\n');
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('the connection ended');
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}

const systemctl = (...args: string[]) => execFileSync('systemctl', args, { stdio: 'ignore' });

async function serve(): Promise<void> {
  const input = new Connection();
  const [command, option] = (await input.line()).split(' ');
  if (command === 'restart') return void systemctl('--no-block', 'reboot');
  if (command !== 'install') throw new Error(`unknown command ${command}`);
  const printers = (await boundPrinters()) ?? [];
  const other = target();
  systemctl('start', 'boot.mount');
  try {
    const version = await install(input, { anyVariant: option === 'any' }, other);
    mkdirSync(HOME, { recursive: true });
    writeFileSync(`${TRIAL}.new`, JSON.stringify({ slot: other.slot, version, printers }), { flush: true });
    renameSync(`${TRIAL}.new`, TRIAL);
  } finally {
    systemctl('stop', 'boot.mount');
  }
}

/**
 * Takes `tillnode.txt`, of which mount-data has put a copy on the data partition: the file is wiped from the boot partition
 * first, where everybody who has the medium can read it, and the copy when the node has taken it. A power cut in between
 * begins again with the copy.
 */
async function prepared(): Promise<void> {
  systemctl('start', 'boot.mount');
  try {
    const file = `${BOOT}/tillnode.txt`;
    if (existsSync(file)) {
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.alloc(fstatSync(handle).size, ' '));
      fsyncSync(handle);
      closeSync(handle);
      rmSync(file);
    }
  } finally {
    systemctl('stop', 'boot.mount');
  }
  while ((await boundPrinters()) === undefined) await delay(PAUSE_MS);
  const refused = await makeCalls(callsOf(readFileSync(PREPARED, 'utf8')), NODE, ASK_MS).catch((error: unknown) => [
    messageOf(error),
  ]);
  for (const line of refused) process.stderr.write(`tillnode.txt: ${line}\n`);
  rmSync(PREPARED);
}

if (process.argv[2] === 'good') {
  await good();
} else if (process.argv[2] === 'prepared') {
  await prepared();
} else {
  const answer = await serve().then(
    () => ({ ok: true }),
    (error: unknown) => ({ error: messageOf(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
}
