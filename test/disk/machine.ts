/** A machine in an emulator that starts from a disk image by its own firmware, as a small computer does. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export const CACHE = resolve('.cache/disk/machines');
const FIRMWARE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const VARIABLES = '/usr/share/OVMF/OVMF_VARS_4M.fd';
export const MACHINE_TOOLS = ['qemu-system-x86:qemu-system-x86_64', `ovmf:${FIRMWARE}`];
export const IMAGE_TOOLS = [
  ...['mmdebstrap', 'squashfs-tools:mksquashfs', 'kmod:depmod', 'cpio', 'zstd', 'fdisk:sfdisk'],
  ...['dosfstools:mkfs.vfat', 'mtools:mcopy'],
];
/** What a medium of a shop has at least. */
const MEDIUM_BYTES = 2 * 1024 ** 3;

/**
 * The clock counts instructions, as in the lab: the machine is one of one speed, whatever else this computer does. The
 * network has a DHCP server, and nobody else.
 */
const HARDWARE = [
  ...['-M', 'q35', '-accel', 'tcg,thread=single', '-icount', 'shift=0', '-cpu', 'max', '-smp', '1', '-m', '512'],
  ...['-nodefaults', '-no-user-config', '-display', 'none'],
  // The watchdog of the chipset works as it does on a board.
  ...['-global', 'ICH9-LPC.noreboot=false'],
  ...['-rtc', 'base=2026-12-01T00:00:00,clock=vm'],
  ...['-device', 'virtio-blk-pci,drive=disk,write-cache=on', '-device', 'virtio-balloon-pci,id=balloon'],
];

/** Makes the image of a variant that is built; returns its path. */
export const madeImage = (variant: string): string =>
  resolve(
    execFileSync('npm', ['run', '-s', 'disk', '--', '--variant', variant, '--arch', 'amd64'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
      .trim()
      .split('\n')
      .at(-1)!,
  );

/** A medium with an image on it, and the firmware's own variables. */
export class Medium {
  readonly path: string;
  readonly variables: string;

  constructor(name: string, image: string) {
    mkdirSync(CACHE, { recursive: true });
    this.path = join(CACHE, `${name}.img`);
    this.variables = join(CACHE, `${name}.vars`);
    rmSync(this.path, { force: true });
    execFileSync('zstd', ['-q', '-d', '--sparse', image, '-o', this.path]);
    truncateSync(this.path, MEDIUM_BYTES);
    copyFileSync(VARIABLES, this.variables);
  }
}

/** A machine that runs from a medium. */
export class Running {
  readonly #qemu: ChildProcess;
  readonly #port: number;
  readonly #console: string;
  readonly #control: string;

  private constructor(qemu: ChildProcess, port: number, consoleLog: string, control: string) {
    this.#qemu = qemu;
    this.#port = port;
    this.#console = consoleLog;
    this.#control = control;
  }

  static async powerOn(medium: Medium): Promise<Running> {
    const port = await freePort();
    const consoleLog = `${medium.path}.console.log`;
    const control = `${medium.path}.qmp`;
    rmSync(control, { force: true });
    const qemu = spawn(
      'qemu-system-x86_64',
      [
        ...HARDWARE,
        ...['-drive', `if=pflash,format=raw,readonly=on,file=${FIRMWARE}`],
        ...['-drive', `if=pflash,format=raw,file=${medium.variables}`],
        ...['-drive', `if=none,id=disk,format=raw,file=${medium.path}`],
        ...[
          '-netdev',
          `user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:80`,
          '-device',
          'virtio-net-pci,netdev=net',
        ],
        ...['-serial', `file:${consoleLog}`, '-qmp', `unix:${control},server=on,wait=off`],
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return new Running(qemu, port, consoleLog, control);
  }

  /** Of the node, on its port 80. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves with the first answer; rejects with what the console said when there is none in time, or the machine ended. */
  async answered(path: string, timeoutMs: number, wanted = (response: Response) => response.ok): Promise<Response> {
    const until = performance.now() + timeoutMs;
    while (this.#qemu.exitCode === null && performance.now() < until) {
      const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(60_000) }).catch(
        () => undefined,
      );
      if (response !== undefined && wanted(response)) return response;
      await delay(1000);
    }
    throw new Error(`no answer from ${path}\n${this.log.slice(-4000)}`);
  }

  /** The status, when it is as wanted: the machine may start again in between. Rejects when it never was in time. */
  async statusUntil<Status>(wanted: (status: Status) => boolean, timeoutMs: number): Promise<Status> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const status = (await (await this.answered('/status', until - performance.now())).json()) as Status;
      if (wanted(status)) return status;
      await delay(2000);
    }
  }

  /** How often the firmware started something. */
  get starts(): number {
    return this.log.split('BdsDxe: starting').length - 1;
  }

  /** What the machine said on its serial line. */
  get log(): string {
    return existsSync(this.#console) ? readFileSync(this.#console, 'latin1') : '';
  }

  /** Memory of the whole system as its kernel counts it, in bytes: what the balloon driver tells (virtio 1.2, 5.5.6.4). */
  async memory(): Promise<{ readonly total: number; readonly available: number }> {
    const control = await Control.open(this.#control);
    const balloon = '/machine/peripheral/balloon';
    await control.ask('qom-set', { path: balloon, property: 'guest-stats-polling-interval', value: 2 });
    for (;;) {
      const { stats } = (await control.ask('qom-get', { path: balloon, property: 'guest-stats' })) as {
        stats: Record<string, number>;
      };
      const [total = -1, available = -1] = [stats['stat-total-memory'], stats['stat-available-memory']];
      // -1, or all ones: not told yet.
      if (total > 0 && total < 2 ** 40 && available > 0) {
        control.close();
        return { total, available };
      }
      await delay(1000);
    }
  }

  /** Pulls the plug. */
  async cut(): Promise<void> {
    if (this.#qemu.exitCode !== null || this.#qemu.signalCode !== null) return;
    const ended = once(this.#qemu, 'exit');
    this.#qemu.kill('SIGKILL');
    await ended;
  }
}

/** The emulator's own line (QMP). */
class Control {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async open(path: string): Promise<Control> {
    const socket = connect(path);
    await once(socket, 'connect');
    const control = new Control(socket);
    await control.ask('qmp_capabilities', {});
    return control;
  }

  async ask(execute: string, args: object): Promise<unknown> {
    this.#socket.write(`${JSON.stringify({ execute, arguments: args })}\n`);
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`${execute}: the emulator ended`);
      const answer = JSON.parse(value) as { return?: unknown; error?: unknown };
      if (answer.error !== undefined) throw new Error(`${execute}: ${JSON.stringify(answer.error)}`);
      if (answer.return !== undefined) return answer.return;
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
