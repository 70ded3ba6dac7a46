/**
 * Installs a system bundle in the root partition that does not run, and has it tried at the next start. The bundle is an
 * image file (runtime/image/format.ts) of type `system` with these files, in this order:
 *
 *   filesystem   the root, with the digests of dm-verity behind it: first, so that it begins with the partition
 *   initrd, linux
 *   system.json  {"blocks", "hash", "options"}: of the root, and the options of its kernel
 *
 * All of it is received in the partition itself; what the firmware has to read is copied from there.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFileNow, syncNow } from '../../base/durable.ts';
import {
  HEADER_BYTES,
  isSigned,
  manifestOffset,
  type PlacedFile,
  parseHeader,
  parseManifest,
  SIGNATURE_BYTES,
} from '../../image/format.ts';
import { choose, chosen, optionsFile } from './u-boot.ts';

/** The system that takes the bundle, and what it is checked against. */
export interface Target {
  /** Letter of the slot that does not run. */
  readonly slot: 'a' | 'b';
  /** Device file of the slot's partition. */
  readonly device: string;
  /** Where the boot partition is mounted. */
  readonly boot: string;
  /** The partition `made`, where U-Boot starts this machine; undefined where systemd-boot does. */
  readonly choice?: string | undefined;
  readonly variant: string;
  readonly trustedKeys: readonly string[];
  readonly securityFloor: number;
}

/** The bytes of a connection, read one piece after the other. */
export interface Input {
  /** Exactly so many bytes, in any pieces. Throws if the connection ends before. */
  bytes(count: number): AsyncIterable<Uint8Array>;
  /** Up to the next line feed, without it. */
  line(): Promise<string>;
}

/** Starts of a system that is tried, before the firmware gives it up (systemd-boot, boot counting). */
const TRIES = 3;
const COPY_BYTES = 1024 * 1024;
/** The kernel's options in a bundle: words, and nothing that ends a line. */
const OPTIONS = /^[\x20-\x7e]{0,1000}$/;

/**
 * Receives a bundle and installs it; resolves with its version. `note` is called with that before anything can start the new
 * system. Throws with the reason if it is refused, or what `note` throws: then the other system stays.
 */
export async function install(
  input: Input,
  { anyVariant }: { readonly anyVariant: boolean },
  target: Target,
  note: (version: string) => void,
): Promise<string> {
  const first = Buffer.concat(await all(input.bytes(HEADER_BYTES)));
  const header = parseHeader(first);
  if (header.type !== 'system') throw new Error('not a system bundle');
  if (!anyVariant && header.variant !== target.variant) throw new Error(`it is for ${header.variant}`);
  if (header.floor < target.securityFloor) throw new Error(`its security floor is ${header.floor}`);
  if (isOnTrial(target)) throw new Error('the system that runs is on trial itself');
  // From here on nothing may start what is in the partition.
  forget(target);
  const device = openSync(target.device, 'r+');
  try {
    const hash = createHash('sha256').update(first);
    let at = 0;
    for await (const chunk of input.bytes(header.length - HEADER_BYTES - SIGNATURE_BYTES)) {
      hash.update(chunk);
      writeSync(device, chunk, 0, chunk.length, at);
      at += chunk.length;
    }
    const signature = Buffer.concat(await all(input.bytes(SIGNATURE_BYTES)));
    if ((await input.line()) !== 'commit') throw new Error('it was not committed');
    fsyncSync(device);
    if (!isSigned(hash.digest(), signature, target.trustedKeys)) throw new Error('it is not signed with a trusted key');
    const manifest = Buffer.alloc(header.manifestLength);
    readSync(device, manifest, 0, manifest.length, manifestOffset(header) - HEADER_BYTES);
    const files = new Map(parseManifest(header, manifest).map((file) => [file.name, file]));
    const placed = (name: string): PlacedFile => {
      const file = files.get(name);
      if (file === undefined) throw new Error(`it has no ${name}`);
      return file;
    };
    if (placed('filesystem').offset !== HEADER_BYTES) throw new Error('the root is not its first file');
    const about = JSON.parse(read(device, placed('system.json')).toString()) as Record<string, unknown>;
    const { blocks, hash: root, options } = about;
    if (!Number.isSafeInteger(blocks) || !/^[0-9a-f]{64}$/.test(String(root)) || !OPTIONS.test(String(options))) {
      throw new Error('system.json is not valid');
    }
    for (const name of ['linux', 'initrd']) copy(device, placed(name), join(target.boot, target.slot, name));
    note(header.version);
    enter(target, header.version, `tillnode.root=${target.slot}:${blocks}:${root} ${options}`);
    return header.version;
  } finally {
    closeSync(device);
  }
}

const other = ({ slot }: Target): Target['slot'] => (slot === 'a' ? 'b' : 'a');
const entriesOf = ({ boot }: Target) => join(boot, 'loader/entries');
const isOf = (slot: string, name: string) => new RegExp(`^tillnode-${slot}(\\+[0-9-]+)?\\.conf$`).test(name);

/** Whether the system that runs is not known to be good: the other one is the way back then. */
function isOnTrial(target: Target): boolean {
  if (target.choice !== undefined) return chosen(target.choice).good === target.slot;
  return readdirSync(entriesOf(target)).some((name) => name.includes('+') && isOf(other(target), name));
}

/** Removes the boot entry of a slot, or what U-Boot would try it for. */
function forget(target: Target): void {
  if (target.choice !== undefined) choose(target.choice, { good: other(target), tries: 0 });
  for (const name of readdirSync(entriesOf(target))) if (isOf(target.slot, name)) rmSync(join(entriesOf(target), name));
  syncNow(entriesOf(target));
}

/** Writes the boot entry, which the firmware prefers to every other one until its tries are used up. */
function enter(target: Target, version: string, options: string): void {
  if (target.choice !== undefined) {
    write(join(target.boot, target.slot, 'options'), Buffer.from(optionsFile(options)));
    syncNow(join(target.boot, target.slot));
    choose(target.choice, { good: other(target), tries: TRIES });
    return;
  }
  const entries = entriesOf(target);
  const numbers = readdirSync(entries).map((name) =>
    /^version (\d+)$/m.exec(readFileSync(join(entries, name), 'utf8')),
  );
  const number = Math.max(0, ...numbers.map((found) => Number(found?.[1] ?? 0))) + 1;
  const path = join(entries, `tillnode-${target.slot}+${TRIES}.conf`);
  replaceFileNow(path, entryOf(target.slot, version, number, options));
}

/** A boot entry (Boot Loader Specification, type 1). Of several, the one with the highest number is started. */
export const entryOf = (slot: string, version: string, number: number, options: string): string =>
  `title tillnode ${version}\nsort-key tillnode\nversion ${number}\nlinux /${slot}/linux\ninitrd /${slot}/initrd\noptions ${options}\n`;

function read(device: number, { name, size, offset, sha256 }: PlacedFile): Buffer {
  const bytes = Buffer.alloc(size);
  readSync(device, bytes, 0, size, offset - HEADER_BYTES);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${name} was not read as it was written`);
  return bytes;
}

/** Copies a file of the partition to the boot partition, durably. */
function copy(device: number, file: PlacedFile, to: string): void {
  write(to, read(device, file));
  syncNow(dirname(to));
}

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(COPY_BYTES, bytes.length - at));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return found;
}
