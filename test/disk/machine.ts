/** A machine in an emulator that starts from a disk image by its own firmware, as a small computer does. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../ports.ts';

export const CACHE = resolve('.cache/disk/machines');
export const IMAGE_TOOLS = [
  ...['mmdebstrap', 'mksquashfs', 'depmod', 'cpio', 'zstd', 'sfdisk'],
  ...['mkfs.vfat', 'mcopy'],
];
/** What a medium of a shop has at least. */
export const MEDIUM_BYTES = 2 * 1024 ** 3;

/** After the first answer a machine still does what a start brings; after this long, by its own clock, it is at rest. */
const SETTLED_S = 60;

/** What the machine's clock says when it is switched on. */
export const POWER_ON = '2026-12-01T00:00:00';

const COMMON = ['-nodefaults', '-no-user-config', '-display', 'none', '-m', '512'];
const VIRTIO = ['-device', 'virtio-blk-pci,drive=disk,write-cache=on', '-device', 'virtio-balloon-pci,id=balloon'];
const network = (card: string) => ['-device', `${card},netdev=net`];

/** A board in the emulator. Its network has a DHCP server, and nobody else. */
export interface Board {
  readonly arch: 'amd64' | 'arm64';
  /** Debian packages that it needs here, as `needTools` takes them. */
  readonly tools: readonly string[];
  readonly program: string;
  readonly hardware: readonly string[];
  /** UEFI firmware, and its variables as they are in a new machine. */
  readonly uefi?: { readonly code: string; readonly variables: string };
}

const OVMF = { code: '/usr/share/OVMF/OVMF_CODE_4M.fd', variables: '/usr/share/OVMF/OVMF_VARS_4M.fd' };
/** The clock counts instructions, as in the lab: the machine is one of one speed, whatever else this computer does. */
export const PC: Board = {
  arch: 'amd64',
  tools: ['qemu-system-x86_64', OVMF.code],
  program: 'qemu-system-x86_64',
  hardware: [
    ...['-M', 'q35', '-accel', 'tcg,thread=single', '-icount', 'shift=0', '-cpu', 'max', '-smp', '1', ...COMMON],
    // The watchdog of the chipset works as it does on a board.
    ...['-global', 'ICH9-LPC.noreboot=false'],
    ...['-rtc', `base=${POWER_ON},clock=vm`],
    ...[...VIRTIO, ...network('virtio-net-pci')],
  ],
  uefi: OVMF,
};
export const MACHINE_TOOLS = PC.tools;

const ARM = {
  arch: 'arm64',
  program: 'qemu-system-aarch64',
  hardware: [
    ...['-M', 'virt', '-accel', 'tcg,thread=multi', '-cpu', 'cortex-a57', '-smp', '2', ...COMMON],
    ...[...VIRTIO, ...network('virtio-net-pci')],
  ],
} as const;
const AAVMF = { code: '/usr/share/AAVMF/AAVMF_CODE.fd', variables: '/usr/share/AAVMF/AAVMF_VARS.fd' };
/** A board for arm64 with UEFI. */
export const ARM_UEFI: Board = {
  ...ARM,
  tools: ['qemu-system-aarch64', AAVMF.code],
  uefi: AAVMF,
};
const U_BOOT = '/usr/lib/u-boot/qemu_arm64/u-boot.bin';
/** The same board with U-Boot of the version that a Raspberry Pi gets. */
export const ARM_U_BOOT: Board = {
  ...ARM,
  tools: ['qemu-system-aarch64', U_BOOT],
  hardware: [...ARM.hardware, '-bios', U_BOOT],
};

/** Makes the image of a variant that is built; returns its path. */
export const madeImage = (variant: string, arch: Board['arch'] = 'amd64'): string =>
  resolve(
    execFileSync('npm', ['run', '-s', 'disk', '--', '--variant', variant, '--arch', arch], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
      .trim()
      .split('\n')
      .at(-1)!,
  );

/** A medium with an image on it, for a board, and the firmware's own variables. */
export class Medium {
  readonly board: Board;
  readonly path: string;
  readonly variables: string;

  /** `image`: a disk as it ships (`.zst`), or unpacked. */
  constructor(name: string, image: string, board = PC) {
    this.board = board;
    mkdirSync(CACHE, { recursive: true });
    this.path = join(CACHE, `${name}.img`);
    this.variables = join(CACHE, `${name}.vars`);
    rmSync(this.path, { force: true });
    if (image.endsWith('.zst')) execFileSync('zstd', ['-q', '-d', '--sparse', image, '-o', this.path]);
    else execFileSync('cp', ['--sparse=always', image, this.path]);
    truncateSync(this.path, MEDIUM_BYTES);
    if (board.uefi !== undefined) copyFileSync(board.uefi.variables, this.variables);
  }

  /** Keeps what is on it now, for `restore`. The machine must not run. */
  save(): void {
    this.#copy('', '.saved');
  }

  restore(): void {
    this.#copy('.saved', '');
  }

  #copy(from: string, to: string): void {
    for (const path of this.board.uefi === undefined ? [this.path] : [this.path, this.variables]) {
      execFileSync('cp', ['--sparse=always', `${path}${from}`, `${path}${to}`]);
    }
  }
}

/** A machine that was stopped while it ran: its medium, the firmware's variables, and its memory. */
export class Frozen {
  readonly medium: Medium;

  constructor(medium: Medium) {
    this.medium = medium;
    medium.save();
  }

  /** Goes on from there, on the same medium; as often as wanted. `disk`: as for `Running.powerOn`. */
  async goOn(disk?: readonly string[]): Promise<Running> {
    this.medium.restore();
    const running = await Running.powerOn(this.medium, { memory: memoryOf(this.medium), ...(disk && { disk }) });
    await running.goOn();
    return running;
  }
}

const memoryOf = ({ path }: Medium) => `${path}.memory`;

/** Where a machine has UEFI: the flash that holds it, and the one of its variables. */
function flash({ board, variables }: Medium): string[] {
  if (board.uefi === undefined) return [];
  const code = `if=pflash,format=raw,readonly=on,file=${board.uefi.code}`;
  return ['-drive', code, '-drive', `if=pflash,format=raw,file=${variables}`];
}

/** Where the guest finds what listens on this machine. */
export const TILL = '10.0.2.100:8000';

/** A machine that runs from a medium. */
export class Running {
  readonly #qemu: ChildProcess;
  readonly #port: number;
  readonly #console: string;
  readonly #control: string;
  readonly #medium: Medium;

  private constructor(medium: Medium, qemu: ChildProcess, port: number, consoleLog: string, control: string) {
    this.#medium = medium;
    this.#qemu = qemu;
    this.#port = port;
    this.#console = consoleLog;
    this.#control = control;
  }

  /**
   * `memory`: of a machine that was frozen, and goes on. `disk`: QEMU's options of the block device that the medium is, when
   * it is not the file alone. `till`: a port of this machine, which has the address `TILL` in that of the guest. `more`: its options for
   * hardware that few machines have.
   */
  static async powerOn(
    medium: Medium,
    {
      memory,
      disk = ['-drive', `if=none,id=disk,format=raw,file=${medium.path}`],
      till,
      more = [],
    }: {
      readonly memory?: string;
      readonly disk?: readonly string[];
      readonly till?: number;
      readonly more?: readonly string[];
    } = {},
  ): Promise<Running> {
    const port = await freePort();
    const consoleLog = `${medium.path}.console.log`;
    const control = `${medium.path}.qmp`;
    // Of the start before: whoever reads them means this one.
    for (const file of [control, consoleLog]) rmSync(file, { force: true });
    // One program for each connection: QEMU would keep a single one for all its life.
    const outwards = till === undefined ? '' : `,guestfwd=tcp:${TILL}-cmd:busybox nc 127.0.0.1 ${till}`;
    const qemu = spawn(
      medium.board.program,
      [
        ...medium.board.hardware,
        ...flash(medium),
        ...disk,
        ...['-netdev', `user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:80${outwards}`],
        ...['-serial', `file:${consoleLog}`, '-qmp', `unix:${control},server=on,wait=off`],
        ...(memory === undefined ? [] : ['-incoming', `exec:cat ${memory}`]),
        ...more,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return new Running(medium, qemu, port, consoleLog, control);
  }

  /** URL of the node, on its port 80. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /**
   * Resolves with the first answer; rejects with what the console said when there is none in time, or the machine ended. Asks
   * anew beside what was asked before: what finds nobody yet is sent again after seconds of the machine's own clock, by a
   * network that is part of the emulator.
   */
  async answered(path: string, timeoutMs: number, wanted = (response: Response) => response.ok): Promise<Response> {
    const until = performance.now() + timeoutMs;
    let answer: Response | undefined;
    while (this.#qemu.exitCode === null && performance.now() < until) {
      void fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(60_000) }).then(
        (response) => {
          if (wanted(response)) answer ??= response;
        },
        () => {},
      );
      await delay(1000);
      if (answer !== undefined) return answer;
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

  /** Plugs the network cable in, or pulls it. */
  async cable(plugged: boolean): Promise<void> {
    const control = await Control.open(this.#control);
    await control.ask('set_link', { name: 'net', up: plugged });
    control.close();
  }

  /** How often the firmware started something. */
  get starts(): number {
    return this.log.split('BdsDxe: starting').length - 1;
  }

  /** What the machine said on its serial line. */
  get log(): string {
    return existsSync(this.#console) ? readFileSync(this.#console, 'latin1') : '';
  }

  /** Seconds since power on, by the machine's own clock (whole ones: it is the battery-backed one). */
  async seconds(): Promise<number> {
    const control = await Control.open(this.#control);
    const now = (await control.ask('qom-get', { path: '/machine', property: 'rtc-time' })) as Record<string, number>;
    control.close();
    const at = Date.UTC(
      now['tm_year']! + 1900,
      now['tm_mon']!,
      now['tm_mday'],
      now['tm_hour'],
      now['tm_min'],
      now['tm_sec'],
    );
    return (at - Date.parse(`${POWER_ON}Z`)) / 1000;
  }

  /** Memory in use by the whole system a minute from now, in bytes as its kernel counts it: what the balloon driver tells (virtio 1.2, 5.5.6.4). */
  async memoryAtRest(): Promise<number> {
    const until = (await this.seconds()) + SETTLED_S;
    while ((await this.seconds()) < until) await delay(1000);
    const control = await Control.open(this.#control);
    const balloon = '/machine/peripheral/balloon';
    const told = async () =>
      (await control.ask('qom-get', { path: balloon, property: 'guest-stats' })) as {
        readonly stats: Readonly<Record<string, number>>;
        readonly 'last-update': number;
      };
    // What the driver said when it was loaded is kept until it is asked, and may be told once more.
    const before = await told();
    await control.ask('qom-set', { path: balloon, property: 'guest-stats-polling-interval', value: 2 });
    const updates = new Set([before['last-update']]);
    for (;;) {
      const { stats, 'last-update': update } = await told();
      updates.add(update);
      const [total = -1, available = -1] = [stats['stat-total-memory'], stats['stat-available-memory']];
      // -1, or all ones: not told yet.
      if (updates.size > 2 && total > 0 && total < 2 ** 40 && available > 0) {
        control.close();
        return total - available;
      }
      await delay(1000);
    }
  }

  /** Stops the machine as it is. */
  async freeze(): Promise<Frozen> {
    const control = await Control.open(this.#control);
    await control.ask('stop', {});
    await control.ask('migrate', { uri: `exec:cat > ${memoryOf(this.#medium)}` });
    for (;;) {
      const { status } = (await control.ask('query-migrate', {})) as { status?: string };
      if (status === 'completed') break;
      if (status === 'failed') throw new Error('the machine could not be frozen');
      await delay(200);
    }
    control.close();
    await this.cut();
    return new Frozen(this.#medium);
  }

  /** After `freeze`, when its memory is in. */
  async goOn(): Promise<void> {
    const control = await Control.open(this.#control);
    while (((await control.ask('query-status', {})) as { status: string }).status === 'inmigrate') await delay(200);
    await control.ask('cont', {});
    control.close();
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
    const control = new Control(await connected(path));
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

/** A connection to a socket that the emulator makes as it starts. Rejects when there is none after a minute. */
export async function connected(path: string): Promise<Socket> {
  for (let left = 600; ; left -= 1) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}
