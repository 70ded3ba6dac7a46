/** Boots the lab's machine, runs one program in it with the host's own Node, and hands over what it says. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { buildInitramfs, CACHE, type Machine } from './machine.ts';

const CONSOLE = join(CACHE, 'console.log');
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Boot {
  /** Of the program in the machine; the host's file system is there at its usual paths, and what is written is lost. */
  readonly program: string;
  /** A directory whose files lie over the host's, for packages that the host has not. */
  readonly packages?: string;
  readonly timeoutMs: number;
  /** Of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** One for each line of JSON that the program writes. */
  readonly onReport: (report: unknown) => void;
}

const shared = (tag: string, path: string) => [
  '-virtfs',
  `local,path=${path},mount_tag=${tag},security_model=none,readonly=on,multidevs=remap`,
];

/** Resolves when the machine has powered off; rejects, with the console's end, when it took too long or died. */
export async function bootMachine(
  machine: Machine,
  { program, packages, timeoutMs, env, onReport }: Boot,
): Promise<void> {
  const job = [
    'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp',
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`),
    `mount --bind ${quote(machine.modules)} /lib/modules`,
    `cd ${quote(resolve('.'))}`,
    `${quote(process.execPath)} ${quote(program)} > /dev/ttyS1`,
    'echo o > /proc/sysrq-trigger',
    'while :; do :; done',
  ].join('\n');
  const qemu = spawn(
    'qemu-system-x86_64',
    [
      ...['-M', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '1024'],
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-nic', 'none', '-no-reboot'],
      ...['-serial', `file:${CONSOLE}`, '-serial', 'stdio'],
      ...['-kernel', machine.kernel, '-initrd', buildInitramfs(machine, job)],
      ...['-append', 'console=ttyS0 quiet panic=-1'],
      ...shared('host', '/'),
      ...(packages === undefined ? [] : shared('packages', packages)),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const timer = setTimeout(() => qemu.kill('SIGKILL'), timeoutMs);
  const complaints: string[] = [];
  qemu.stderr.on('data', (data: Buffer) => complaints.push(data.toString()));
  createInterface({ input: qemu.stdout }).on('line', (line) => {
    const report = parse(line);
    if (report !== undefined) onReport(report);
    else if (line.trim()) complaints.push(line);
  });
  try {
    const code = await new Promise<number | null>((settle, reject) => {
      qemu.on('error', reject);
      qemu.on('close', settle);
    });
    if (code === 0) return;
    const ending = code === null ? `killed after ${timeoutMs} ms` : `qemu ended with ${code}`;
    throw new Error([ending, ...complaints.slice(-20), readFileSync(CONSOLE, 'utf8').slice(-4000)].join('\n'));
  } finally {
    clearTimeout(timer);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
