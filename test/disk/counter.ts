/**
 * A counter around the disk as it ships: a radio, a phone and two printers, made by modules of its kernel that are not on it.
 * They come with one more initramfs on the boot partition of the medium; kernel, root and everything that runs from it are
 * those of the image, checked by the same digest. A second serial line tells them what to do.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fetched, recorded } from '../../runtime/disk/packages.ts';
import { changeEntry, onBoot } from './entry.ts';
import { CACHE, connected, type Medium } from './machine.ts';

const IW = '/usr/sbin/iw';
export const COUNTER_TOOLS = [IW, 'cpio', 'mcopy'];
const MODULES = [
  'fs/configfs/configfs',
  'drivers/usb/gadget/udc/udc-core',
  'drivers/usb/gadget/udc/dummy_hcd',
  'drivers/usb/gadget/libcomposite',
  'drivers/usb/gadget/function/usb_f_printer',
  'drivers/net/wireless/mac80211_hwsim',
];
/** A line of print takes the machine some of these. */
const PAPER_MS = 10;
const SWITCH = 'kill $feeder\n';
/** As the first program hands over to systemd: /run is the root's by then. */
const BRING = `cp -a /counter /root/run/counter
mkdir -p /root/run/systemd/system/sysinit.target.wants
cp /counter/counter.service /root/run/systemd/system
ln -s ../counter.service /root/run/systemd/system/sysinit.target.wants/counter.service
`;

/** Puts the counter on the medium, beside the system that it starts first. */
export function addCounter(medium: Medium): void {
  const work = join(CACHE, 'counter');
  const folder = join(work, 'initramfs/counter');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(folder, 'modules'), { recursive: true });
  const kernel = recorded('amd64').find(({ path }) => basename(path).startsWith('linux-image-'))!;
  const [deb] = fetched([kernel]);
  execFileSync('sh', ['-ec', 'dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1" ./lib/modules', deb!, work]);
  const [version] = readdirSync(join(work, 'lib/modules'));
  for (const module of MODULES) {
    const file = `${basename(module)}.ko`;
    copyFileSync(join(work, `lib/modules/${version}/kernel/${module}.ko`), join(folder, 'modules', file));
  }
  for (const name of readdirSync('test/disk/guest')) copyFileSync(join('test/disk/guest', name), join(folder, name));
  chmodSync(join(folder, 'phone-address.sh'), 0o755);
  copyFileSync(IW, join(folder, 'iw'));
  const init = readFileSync('runtime/disk/initramfs/init', 'utf8');
  if (!init.includes(SWITCH)) throw new Error('the first program does not hand over as it did');
  writeFileSync(join(work, 'initramfs/init'), init.replace(SWITCH, BRING + SWITCH), { mode: 0o755 });
  const archive = resolve(work, 'initrd');
  // Compressed, because the kernel takes an archive that is not only at a multiple of four bytes, and the firmware puts
  // this one right behind the first.
  const pack = 'cd "$0" && find . | cpio -o -H newc --quiet | gzip > "$1"';
  execFileSync('sh', ['-ec', pack, join(work, 'initramfs'), archive]);

  for (const printer of PRINTERS) rmSync(paperOf(medium, printer), { force: true });
  changeEntry(medium, (entry) => entry.replace('initrd /a/initrd\n', 'initrd /a/initrd\ninitrd /a/counter\n'));
  onBoot(medium, 'mcopy', '-o', archive, '::a/counter');
}

/** For `powerOn`: the second serial line of a machine, and one a printer, for its paper. */
export function counterLines(medium: Medium): string[] {
  const papers = PRINTERS.map((printer) => `file,id=paper${printer},append=on,path=${paperOf(medium, printer)}`);
  return [
    ...['-serial', `unix:${lineOf(medium)},server=on,wait=off`],
    ...papers.flatMap((paper) => ['-chardev', paper]),
    ...['-device', 'pci-serial-2x,chardev1=paper0,chardev2=paper1'],
  ];
}

const PRINTERS = [0, 1] as const;
type Printer = (typeof PRINTERS)[number];
const lineOf = ({ path }: Medium) => `${path}.counter`;
const paperOf = ({ path }: Medium, printer: Printer) => `${path}.paper${printer}`;

/** The counter of a machine that runs. */
export class Counter {
  readonly #medium: Medium;
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;
  #number = 0;

  private constructor(medium: Medium, socket: Socket) {
    this.#medium = medium;
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  /** Resolves when it is there: early in the start of the system. */
  static async of(medium: Medium): Promise<Counter> {
    const counter = new Counter(medium, await connected(lineOf(medium)));
    await counter.#line((line) => line.endsWith('ready'));
    return counter;
  }

  /** Runs a shell script there; resolves with what it wrote. Rejects with that when it failed. */
  async run(script: string): Promise<string> {
    this.#number += 1;
    const number = String(this.#number);
    this.#socket.write(`${number} ${Buffer.from(script).toString('base64')}\n`);
    const line = await this.#line((each) => each.startsWith(`${number} `));
    const [, code, output = ''] = line.split(' ');
    const text = Buffer.from(output, 'base64').toString('latin1');
    if (code !== '0') throw new Error(`${script}: ${code}\n${text}`);
    return text;
  }

  /** Plugs the USB cable of a printer in, or pulls it. The first one is plugged in from the start. */
  async usb(printer: Printer, plugged: boolean): Promise<void> {
    const controller = plugged ? `dummy_udc.${printer}` : '';
    await this.run(`echo "${controller}" > /sys/kernel/config/usb_gadget/printer${printer}/UDC`);
  }

  /** What a printer printed so far, when it is as wanted: also in starts before. */
  async paper(wanted: (paper: string) => boolean, timeoutMs: number, printer: Printer = 0): Promise<string> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const paper = readFileSync(paperOf(this.#medium, printer), 'latin1');
      if (wanted(paper)) return paper;
      if (performance.now() > until) throw new Error(`printed: ${JSON.stringify(paper)}`);
      await delay(PAPER_MS);
    }
  }

  /** Runs a script where only the phone's radio is. */
  phone(script: string): Promise<string> {
    return this.run(`nsenter --net=/proc/$(cat phone.pid)/ns/net sh -ec '${script.replaceAll("'", `'\\''`)}'`);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #line(wanted: (line: string) => boolean): Promise<string> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error('the machine ended');
      if (wanted(value)) return value;
    }
  }
}
