/**
 * A serial adapter with an FTDI chip, to the eye and to the kernel's own driver: its vendor requests are answered over
 * FunctionFS (Documentation/usb/functionfs.rst), its packets have their two status bytes, and it sends what it has gathered when
 * a chip does (AN232B-04: 62 bytes, the event character, the latency timer).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LineSettings } from '../../../codecs/serial-line.ts';
import { assemble, type GadgetIdentity, until } from './gadget.ts';
import { hostHas } from './kernel.ts';

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const DESCRIPTORS_MAGIC_V2 = 3;
const STRINGS_MAGIC = 2;
/** Full speed, high speed, and requests to the whole device. */
const FLAGS = 1 | 2 | 64;
const packetOf = (bytes: number) => [bytes & 0xff, bytes >> 8];
/** A vendor's interface with a bulk pipe each way. */
const interfaceWith = (packet: number) =>
  Buffer.from([
    ...[9, 4, 0, 0, 2, 0xff, 0xff, 0xff, 0],
    ...[7, 5, 0x81, 2, ...packetOf(packet), 0],
    ...[7, 5, 0x02, 2, ...packetOf(packet), 0],
  ]);
const DESCRIPTORS = Buffer.concat([u32(FLAGS, 3, 3), interfaceWith(64), interfaceWith(512)]);

/** Node passes over a read of no bytes, which is how a request without data is granted here; perl does not. */
const ANSWERS = String.raw`
  my ($path, @setup) = @ARGV;
  sysopen(my $device, $path, 2) or die "$path: $!";
  for (@setup) { syswrite($device, pack('H*', $_)) or die "$_: $!" }
  $| = 1;
  print "made\n";
  while ((sysread($device, my $event, 12) // 0) == 12) {
    my ($type, $request, $value, $index, $length, $what) = unpack('C C v v v C', $event);
    next if $what != 4;
    if ($type & 0x80) { syswrite($device, substr("\x01\x60", 0, $length)) }
    else { sysread($device, my $data, $length) }
    print "$type $request $value $index\n";
  }`;

const VENDOR_OUT = 0x40;
const SET_BAUD_RATE = 3;
const SET_DATA = 4;
const SET_EVENT_CHARACTER = 6;
const SET_LATENCY = 9;
/** Eighths of a divisor, by their code in bits 14 to 16 (AN232B-05). */
const EIGHTHS = [0, 4, 2, 1, 3, 5, 6, 7] as const;
const CLOCK = 3_000_000;
const PARITIES = ['none', 'odd', 'even'] as const;

const PACKET_BYTES = 62;
const STATUS = 0x01;
/** Transmitter empty; bits 1 to 4 are errors of the line. */
const LINE_STATUS = 0x60;
export const PARITY_ERROR = 0x04;
export const FRAMING_ERROR = 0x08;

export class GadgetFtdi {
  readonly identity: GadgetIdentity;
  /** What arrives on the line. */
  onBytes: (bytes: Uint8Array) => void = () => {};
  /** Packets with nothing but their status. */
  statusPackets = 0;
  /** Everything that a host has sent on the line. */
  heard = '';
  readonly #root: string;
  readonly #mounted: string;
  #line: LineSettings = { baudRate: 0, dataBits: 8, parity: 'none', stopBits: 1 };
  #latencyMs = 16;
  #eventCharacter: number | undefined;
  #plugged = false;
  #loops: Promise<void>[] = [];
  #gathered: number[] = [];
  #errors = 0;
  #wake: () => void = () => {};

  static async create(identity: GadgetIdentity): Promise<GadgetFtdi> {
    const mounted = '/run/lab-ftdi';
    let answers: ChildProcess | undefined;
    const { root } = await assemble(identity, 'ffs', async (functionPath) => {
      mkdirSync(mounted);
      execFileSync('mount', ['-t', 'functionfs', basename(functionPath).slice('ffs.'.length), mounted]);
      const descriptors = Buffer.concat([u32(DESCRIPTORS_MAGIC_V2, 8 + DESCRIPTORS.length), DESCRIPTORS]);
      const setup = [descriptors, u32(STRINGS_MAGIC, 16, 0, 0)].map((bytes) => bytes.toString('hex'));
      answers = spawn('perl', ['-e', ANSWERS, join(mounted, 'ep0'), ...setup], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(answers.stdout as NodeJS.ReadableStream, 'data');
    });
    // FT232B/R, by which the kernel's driver knows what its divisors are.
    await writeFile(join(root, 'bcdDevice'), '0x0600');
    const made = new GadgetFtdi(identity, root, mounted);
    const lines = createInterface({ input: answers?.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => made.#obey(line.split(' ').map(Number)));
    return made;
  }

  private constructor(identity: GadgetIdentity, root: string, mounted: string) {
    this.identity = identity;
    this.#root = root;
    this.#mounted = mounted;
  }

  /** As the host has set it. */
  get line(): LineSettings {
    return this.#line;
  }

  /** Returns once the host has configured it. */
  async plug(): Promise<void> {
    this.#gathered = [];
    const [toHost, fromHost] = await Promise.all(['ep1', 'ep2'].map((name) => open(join(this.#mounted, name), 'r+')));
    await writeFile(join(this.#root, 'UDC'), `dummy_udc.${this.identity.port}`);
    await until(async () => hostHas(this.identity, 'configured') || undefined, 'the adapter to be configured');
    this.#plugged = true;
    this.#loops = [this.#take(fromHost as FileHandle), this.#send(toHost as FileHandle)];
  }

  /** Returns once the host has noticed. */
  async unplug(): Promise<void> {
    this.#plugged = false;
    this.#wake();
    await writeFile(join(this.#root, 'UDC'), '\n').catch(() => {});
    await Promise.all(this.#loops);
    await until(async () => !hostHas(this.identity, 'seen') || undefined, 'the adapter to be gone');
  }

  /** Bytes that have come in on the line; `errors`: of the line, in them. */
  write(bytes: Uint8Array, errors = 0): void {
    this.#gathered.push(...bytes);
    this.#errors |= errors;
    const ends = this.#eventCharacter !== undefined && bytes.includes(this.#eventCharacter);
    if (ends || this.#gathered.length >= PACKET_BYTES) this.#wake();
  }

  #obey([type = 0, request = 0, value = 0, index = 0]: readonly number[]): void {
    if (type !== VENDOR_OUT) return;
    if (request === SET_LATENCY) this.#latencyMs = value;
    else if (request === SET_EVENT_CHARACTER) this.#eventCharacter = value & 0x100 ? value & 0xff : undefined;
    else if (request === SET_BAUD_RATE) {
      const code = ((value >> 14) | ((index & 1) << 2)) & 7;
      const divisor = (value & 0x3fff) + (EIGHTHS[code] ?? 0) / 8;
      this.#line = { ...this.#line, baudRate: Math.round(CLOCK / divisor) };
    } else if (request === SET_DATA) {
      const parity = PARITIES[(value >> 8) & 3] ?? 'none';
      this.#line = { ...this.#line, parity, dataBits: (value & 0xff) === 7 ? 7 : 8, stopBits: value & 0x1000 ? 2 : 1 };
    }
  }

  async #take(file: FileHandle): Promise<void> {
    const buffer = Buffer.alloc(512);
    while (this.#plugged) {
      // It waits for a host, and ends with the cable.
      const read = await file.read(buffer, 0, buffer.length).catch(() => undefined);
      if (read === undefined) break;
      const bytes = Uint8Array.from(buffer.subarray(0, read.bytesRead));
      this.heard += Buffer.from(bytes).toString('latin1');
      this.onBytes(bytes);
    }
    await file.close();
  }

  async #send(file: FileHandle): Promise<void> {
    while (this.#plugged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#latencyMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (!this.#plugged) break;
      const bytes = this.#gathered.splice(0, PACKET_BYTES);
      const packet = Uint8Array.of(STATUS, LINE_STATUS | this.#errors, ...bytes);
      this.#errors = 0;
      if (bytes.length === 0) this.statusPackets += 1;
      const sent = await file.write(packet).catch(() => undefined);
      if (sent === undefined) break;
    }
    await file.close();
  }
}
