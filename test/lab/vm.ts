/** Boots the lab's machine, runs one program in it with the host's own Node, and hands over what it says. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { buildInitramfs, CACHE, type Machine } from './machine.ts';

/**
 * The machine's clock counts its instructions, 2 to the power of `shift` nanoseconds for each, and goes with the host's
 * while there is nothing to do. So whatever else the host is doing, the machine sees one processor of one speed, 1000
 * million instructions a second as a small board has it, and no deadline in it passes because the host is busy.
 */
const CLOCK = ['-accel', 'tcg,thread=single', '-icount', 'shift=0'];
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** What a machine is started with. */
interface Power {
  /** Name of its files in `.cache/lab`; machines that run at the same time have names of their own. */
  readonly name: string;
  /** By the host's clock. */
  readonly timeoutMs: number;
  /** QEMU's options of a block device that is drive `disk`. */
  readonly disk?: readonly string[];
  /** A directory whose files lie over the host's, for packages that the host has not. */
  readonly packages?: string;
  /** One for each line of JSON on the second serial line. */
  readonly onReport: (report: unknown) => void;
}

export interface Boot extends Power {
  /** Path of the program in the machine; the host's file system is there at its usual paths, and what is written is lost. */
  readonly program: string;
  /** Environment of the program. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Running {
  /** Resolves when the machine has powered off, or was cut; rejects, with the console's end, when it took too long or died. */
  readonly ended: Promise<void>;
  /** Power off, at once: what the machine has not written is lost. */
  cut(): void;
}

const shared = (tag: string, path: string) => [
  '-virtfs',
  `local,path=${path},mount_tag=${tag},security_model=none,readonly=on,multidevs=remap`,
];

/** Runs a program on the host's root, and powers off when it ends. */
export function startMachine(machine: Machine, { program, env, ...power }: Boot): Running {
  const job = [
    'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp',
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`),
    `mount --bind ${quote(machine.modules)} /lib/modules`,
    `cd ${quote(resolve('.'))}`,
    `${quote(process.execPath)} ${quote(program)} > /dev/ttyS1`,
    'echo o > /proc/sysrq-trigger',
    'while :; do :; done',
  ].join('\n');
  return powerOn(machine, power, job);
}

/** Resolves when the machine has powered off; rejects as `Running.ended` does. */
export const bootMachine = (machine: Machine, boot: Boot): Promise<void> => startMachine(machine, boot).ended;

/**
 * Starts the system on the disk, whatever that does; the host's file system is there under /host, and the kernel's modules
 * are in their place before the first unit, as on any Debian.
 */
export const bootDisk = (machine: Machine, power: Power): Promise<void> => {
  const modules = `mount -o bind ${quote(`/root/host${machine.modules}`)} /root/lib/modules`;
  return powerOn(machine, power, modules, 'lab.root=disk').ended;
};

function powerOn(machine: Machine, power: Power, job: string, more = ''): Running {
  const { name, timeoutMs, disk, packages, onReport } = power;
  const consoleLog = join(CACHE, `${name}.console.log`);
  const qemu = spawn(
    'qemu-system-x86_64',
    [
      ...['-M', 'q35', ...CLOCK, '-cpu', 'max', '-smp', '1', '-m', '1024'],
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-nic', 'none', '-no-reboot'],
      ...['-serial', `file:${consoleLog}`, '-serial', 'stdio'],
      ...['-kernel', machine.kernel, '-initrd', buildInitramfs(machine, { name, job, hasDisk: disk !== undefined })],
      ...['-append', `console=ttyS0 quiet panic=-1 ${more}`.trim()],
      ...shared('host', '/'),
      ...(packages === undefined ? [] : shared('packages', packages)),
      ...(disk === undefined ? [] : [...disk, '-device', 'virtio-blk-pci,drive=disk,write-cache=on']),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const timer = setTimeout(() => qemu.kill('SIGKILL'), timeoutMs);
  const complaints: string[] = [];
  let wasCut = false;
  qemu.stderr.on('data', (data: Buffer) => complaints.push(data.toString()));
  createInterface({ input: qemu.stdout }).on('line', (line) => {
    const report = parse(line);
    if (report !== undefined) onReport(report);
    else if (line.trim()) complaints.push(line);
  });
  const end = async () => {
    try {
      const code = await new Promise<number | null>((settle, reject) => {
        qemu.on('error', reject);
        qemu.on('close', settle);
      });
      if (code === 0 || wasCut) return;
      const ending = code === null ? `killed after ${timeoutMs} ms` : `qemu ended with ${code}`;
      throw new Error([ending, ...complaints.slice(-20), readFileSync(consoleLog, 'utf8').slice(-4000)].join('\n'));
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ended: end(),
    cut() {
      wasCut = true;
      qemu.kill('SIGKILL');
    },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
