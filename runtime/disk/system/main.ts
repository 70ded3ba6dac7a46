/**
 * What a disk runs beside its node: `system.js serve` answers one connection on its standard input and output, which
 * systemd hands over (tillnode-system.socket); `system.js good` ends when a system that is tried works; `system.js prepared`
 * takes what stands in `tillnode.txt`; `system.js start` prints what that has for each start.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { replaceFileNow } from '../../base/durable.ts';
import { messageOf } from '../../base/thrown.ts';
import { GOOD, type Installed, isTriedByUBoot, onTrial, type Standing, TRIAL } from '../../bindings/system-trial.ts';
import { printAtStart, type StartJob } from './at-start.ts';
import { type Input, install, type Target } from './install.ts';
import { callsOf, makeCalls, pullOf, startJobOf, textOf } from './prepared.ts';
import { standingOf, works } from './trial.ts';
import { choose } from './u-boot.ts';

const BOOT = '/boot';
const UEFI = '/sys/firmware/efi';
const FACTORY = '/usr/lib/tillnode/factory/image.json';
const HOME = '/data/system';
/** A copy of the file that was put on the boot partition. */
const PREPARED = `${HOME}/tillnode.txt`;
/** What `/etc/tillnode-pull.json` leads to. */
const PULL = `${HOME}/tillnode-pull.json`;
/** What is printed at each start; tillnode-start.service looks for it. */
const START = `${HOME}/start.json`;
const ROOT_ALONE = 0o600;
const NODE = 'http://127.0.0.1';
const PAUSE_MS = 2000;
/** Time limits of the calls of `tillnode.txt`: the node may look for networks first, and have no radio for minutes. */
const PATIENCE = { timeoutMs: 60_000, patienceMs: 240_000, pauseMs: PAUSE_MS };
/** A printer that is switched on with the box is ready within seconds; one that comes later finds a till that works. */
const START_PATIENCE = { timeoutMs: 60_000, patienceMs: 120_000, pauseMs: 250 };
/** A number that this start of the kernel alone has (random(4)). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

const NOTHING: Standing = { printers: [], linked: false };
function trial(): Standing {
  try {
    return { ...NOTHING, ...JSON.parse(readFileSync(TRIAL, 'utf8')) };
  } catch {
    return NOTHING;
  }
}

/** A partition of the disk of the system that runs, by its name. Throws if there is none. */
function partition(name: string): string {
  const disk = readFileSync('/run/tillnode/disk', 'utf8').trim();
  const about = `/sys/class/block/${disk}`;
  const found = readdirSync(about).find((entry) => {
    if (!entry.startsWith(disk)) return false;
    return readFileSync(`${about}/${entry}/uevent`, 'utf8').split('\n').includes(`PARTNAME=${name}`);
  });
  if (found === undefined) throw new Error(`this disk has no ${name}`);
  return `/dev/${found}`;
}

/** The system that does not run, on the disk of the one that does. */
function target(): Target {
  const slot = running() === 'a' ? 'b' : 'a';
  const { variant, trustedKeys, securityFloor } = JSON.parse(readFileSync(FACTORY, 'utf8')) as Target;
  const choice = existsSync(UEFI) ? undefined : partition('made');
  return { slot, device: partition(`root_${slot}`), boot: BOOT, choice, variant, trustedKeys, securityFloor };
}

/** The slot of the system that runs. Throws if this is no disk image. */
function running(): Target['slot'] {
  const [, slot] = /(?:^| )tillnode\.root=([ab]):/.exec(readFileSync('/proc/cmdline', 'utf8')) ?? [];
  if (slot !== 'a' && slot !== 'b') throw new Error('this disk has no other system');
  return slot;
}

/** Tells U-Boot, where it tries this system, that it is good. Where systemd-boot does, systemd-bless-boot says so. */
function bless(): void {
  if (!isTriedByUBoot()) return;
  choose(partition('made'), { good: running(), tries: 0 });
  writeFileSync(GOOD, '');
}

/**
 * Mounts the boot partition to write systems to it. FAT has no journal: a power cut while one was written leaves clusters
 * that are nobody's, until none is free, or that two files have. The checker makes files of what it finds.
 */
function mountRepaired(): void {
  // A trial that was good has left it mounted.
  systemctl('stop', 'boot.mount');
  spawnSync('fsck.vfat', ['-a', partition('esp')], { stdio: 'ignore' });
  systemctl('start', 'boot.mount');
  for (const name of readdirSync(BOOT)) if (/^fsck\d+\.rec$/i.test(name)) rmSync(`${BOOT}/${name}`);
}

/** Writes a file in `HOME`, which is whole at any time. */
function replace(path: string, content: string, mode = 0o644): void {
  mkdirSync(HOME, { recursive: true });
  replaceFileNow(path, content, { mode });
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
  const before = (await standingOf(NODE)) ?? NOTHING;
  const other = target();
  // To unmount it would also take systemd-bless-boot.service back, which waits for it.
  if (onTrial()) throw new Error('the system that runs is on trial itself');
  try {
    mountRepaired();
    const remember = (version: string, isEntered: boolean) => {
      const about: Installed = { slot: other.slot, version, isEntered, ...before };
      replace(TRIAL, JSON.stringify(about));
    };
    const version = await install(input, { anyVariant: option === 'any' }, other, (of) => remember(of, false));
    try {
      remember(version, true);
    } catch {
      // It will be started all the same. If it is no good, nobody is told its version.
    }
  } finally {
    unmount();
  }
}

/** What was decided stays so where the boot partition cannot be unmounted. */
function unmount(): void {
  try {
    systemctl('stop', 'boot.mount');
  } catch (error) {
    process.stderr.write(`the boot partition stays mounted: ${messageOf(error)}\n`);
  }
}

/** Whether there is no such file on the boot partition now; it is where everybody who has the medium can read it. */
function wiped(): boolean {
  try {
    systemctl('start', 'boot.mount');
    const file = `${BOOT}/tillnode.txt`;
    if (existsSync(file)) {
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.alloc(fstatSync(handle).size, ' '));
      fsyncSync(handle);
      closeSync(handle);
      rmSync(file);
    }
    return true;
  } catch (error) {
    process.stderr.write(`tillnode.txt stays on the boot partition: ${messageOf(error)}\n`);
    return false;
  } finally {
    if (!onTrial()) unmount();
  }
}

const tell = (line: string) => process.stderr.write(`tillnode.txt: ${line}\n`);

/**
 * Takes `tillnode.txt`, of which mount-data has put a copy on the data partition: the file is wiped from the boot partition
 * first, and the copy when the node has taken it. A power cut in between begins again with the copy. Where the file cannot be
 * wiped, an empty copy stays, so that the next start tries it again.
 */
async function prepared(): Promise<void> {
  const isWiped = wiped();
  while ((await standingOf(NODE)) === undefined) await delay(PAUSE_MS);
  /** Writes what the file says for this one; one that is wrong leaves the others. */
  const keep = (path: string, content: () => string | undefined) => {
    try {
      const found = content();
      if (found !== undefined) replace(path, found, ROOT_ALONE);
    } catch (error) {
      tell(messageOf(error));
    }
  };
  try {
    const text = textOf(readFileSync(PREPARED));
    const refused = await makeCalls(callsOf(text), NODE, PATIENCE);
    refused.forEach(tell);
    // Behind the calls: these print with the key that they store.
    keep(PULL, () => pullOf(text, NODE));
    keep(START, () => {
      const job = startJobOf(text);
      return job && JSON.stringify(job);
    });
  } catch (error) {
    tell(messageOf(error));
  }
  if (isWiped) rmSync(PREPARED);
  else writeFileSync(PREPARED, '');
}

if (process.argv[2] === 'good') {
  await works(NODE, trial());
  bless();
} else if (process.argv[2] === 'prepared') {
  await prepared();
} else if (process.argv[2] === 'start') {
  const job = JSON.parse(readFileSync(START, 'utf8')) as StartJob;
  const why = await printAtStart(job, NODE, readFileSync(BOOT_ID, 'utf8').trim(), START_PATIENCE);
  if (why !== undefined) tell(`start.print: ${why}`);
} else {
  const answer = await serve().then(
    () => ({ ok: true }),
    (error: unknown) => ({ error: messageOf(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
}
