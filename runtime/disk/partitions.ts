/** A disk as a file: a partition table (GPT), the boot partition (FAT), two roots, and room for data; and its block map. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sectorOf } from './system/u-boot.ts';

const MIB = 1024 * 1024;
const BLOCK = 4096;
const SECTOR = 512;

/** The partitions in their order, with the size of each in MiB. A root may grow up to its size, over years of updates. */
export const PARTITIONS = [
  { name: 'esp', mebibytes: 128, type: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B' },
  { name: 'root_a', mebibytes: 256, type: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' },
  { name: 'root_b', mebibytes: 256, type: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' },
  { name: 'made', mebibytes: 1, type: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' },
  // Takes what is left of the medium at the first start.
  { name: 'data', mebibytes: 16, type: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' },
] as const;

const OFFSETS = new Map(PARTITIONS.map(({ name }, at) => [name, sum(PARTITIONS.slice(0, at)) + MIB]));
/** Where a partition begins, in bytes. */
export const offsetOf = (name: (typeof PARTITIONS)[number]['name']): number => OFFSETS.get(name)!;
function sum(partitions: readonly { readonly mebibytes: number }[]): number {
  return partitions.reduce((bytes, { mebibytes }) => bytes + mebibytes * MIB, 0);
}

/** What is on a new disk. */
export interface DiskContent {
  /** Files of the boot partition, by their path there. */
  readonly boot: Readonly<Record<string, string | Uint8Array>>;
  /** File that the first root is. */
  readonly root: string;
  /** The same name gives the same identifiers of disk and partitions. */
  readonly name: string;
  /** Time of the files of the boot partition, in seconds since 1970. */
  readonly epoch: number;
  /** Show the boot partition also in a partition table of DOS. */
  readonly dosTable: boolean;
}

/** Writes the disk to `path`, with holes where it is empty. `work`: a folder of its own. */
export function writeDisk(path: string, { boot, root, name, epoch, dosTable }: DiskContent, work: string): void {
  const limit = PARTITIONS[1].mebibytes * MIB;
  if (statSync(root).size > limit) throw new Error(`the root has ${statSync(root).size} bytes, its partition ${limit}`);
  rmSync(path, { force: true });
  writeFileSync(path, '');
  truncateSync(path, sum(PARTITIONS) + 2 * MIB);
  const table = PARTITIONS.map(
    ({ name: partition, mebibytes, type }) =>
      `name=${partition}, type=${type}, uuid=${uuidOf(`${name}/${partition}`)}, size=${mebibytes}MiB\n`,
  );
  execFileSync('sfdisk', ['--quiet', path], {
    input: `label: gpt\nlabel-id: ${uuidOf(name)}\nfirst-lba: 2048\n\n${table.join('')}`,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  if (dosTable) addDosTable(path);
  const fat = join(work, 'boot.vfat');
  writeFat(fat, boot, uuidOf(`${name}/boot`).slice(0, 8), epoch, work);
  put(fat, path, offsetOf('esp'));
  put(root, path, offsetOf('root_a'));
  // Not empty, so that it is written also where only what is not empty is: a used medium may say otherwise here.
  const made = join(work, 'made');
  writeFileSync(made, Buffer.concat([Buffer.from('tillnode new'.padEnd(512)), sectorOf({ good: 'a', tries: 0 })]));
  put(made, path, offsetOf('made'));
}

/**
 * Shows the boot partition in the first sector, too ("hybrid MBR"): the ROM of a Raspberry Pi 3 reads no GPT, and finds a
 * FAT partition only by its type there. It has to come first; what protects the GPT (UEFI 2.10, 5.2.3) is the second.
 */
function addDosTable(path: string): void {
  const entry = (type: number, first: number, sectors: number) => {
    const bytes = Buffer.from([0, 0xfe, 0xff, 0xff, type, 0xfe, 0xff, 0xff, ...Buffer.alloc(8)]);
    bytes.writeUInt32LE(first, 8);
    bytes.writeUInt32LE(sectors, 12);
    return bytes;
  };
  const first = offsetOf('esp') / SECTOR;
  const esp = entry(0x0c, first, (PARTITIONS[0].mebibytes * MIB) / SECTOR);
  const table = Buffer.concat([esp, entry(0xee, 1, first - 1), Buffer.alloc(32)]);
  const file = openSync(path, 'r+');
  writeSync(file, table, 0, table.length, 446);
  closeSync(file);
}

/** Writes a boot partition with these files to `path`. `id`: eight hexadecimal digits, its volume id. */
export function writeFat(path: string, files: DiskContent['boot'], id: string, epoch: number, work: string): void {
  const folder = join(work, 'boot');
  rmSync(folder, { recursive: true, force: true });
  rmSync(path, { force: true });
  writeFileSync(path, '');
  truncateSync(path, PARTITIONS[0].mebibytes * MIB);
  execFileSync('mkfs.vfat', ['--invariant', '-F', '32', '-s', '1', '-n', 'TILLNODE', '-i', id, path], {
    stdio: 'ignore',
  });
  const folders = new Set<string>();
  const env = { ...process.env, TZ: 'UTC', SOURCE_DATE_EPOCH: String(epoch), MTOOLS_SKIP_CHECK: '1' };
  for (const [name, content] of Object.entries(files)) {
    const parts = dirname(name).split('/');
    for (const at of parts.keys()) {
      const parent = parts.slice(0, at + 1).join('/');
      if (parent === '.' || folders.has(parent)) continue;
      folders.add(parent);
      execFileSync('mmd', ['-i', path, `::${parent}`], { env });
    }
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    execFileSync('touch', ['--date', `@${epoch}`, file]);
    execFileSync('mcopy', ['-m', '-i', path, file, `::${name}`], { env });
  }
}

/** Copies a file into the disk, `offset` bytes (whole MiB) from its beginning. */
export function put(from: string, to: string, offset: number): void {
  execFileSync('dd', [`if=${from}`, `of=${to}`, 'bs=1M', `seek=${offset / MIB}`, 'conv=notrunc,sparse', 'status=none']);
}

/** An identifier (RFC 9562, version 8) that a name always has. */
function uuidOf(name: string): string {
  const digest = createHash('sha256').update(name).digest();
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The block map of a file, version 2.0 of the format of bmaptool: what of it is not empty, with SHA-256. */
export function blockMap(path: string): string {
  const { size } = statSync(path);
  const empty = Buffer.alloc(BLOCK);
  const ranges: { first: number; last: number; sha256: string }[] = [];
  const file = openSync(path, 'r');
  const block = Buffer.alloc(BLOCK);
  let open: { first: number; hash: ReturnType<typeof createHash> } | undefined;
  const count = Math.ceil(size / BLOCK);
  let mapped = 0;
  for (let index = 0; index <= count; index += 1) {
    const length = index < count ? readSync(file, block, 0, BLOCK, index * BLOCK) : 0;
    if (length > 0 && !block.subarray(0, length).equals(empty.subarray(0, length))) {
      open ??= { first: index, hash: createHash('sha256') };
      open.hash.update(block.subarray(0, length));
      mapped += 1;
    } else if (open !== undefined) {
      ranges.push({ first: open.first, last: index - 1, sha256: open.hash.digest('hex') });
      open = undefined;
    }
  }
  closeSync(file);
  const text = (checksum: string) =>
    [
      '<?xml version="1.0" ?>',
      '<bmap version="2.0">',
      `  <ImageSize> ${size} </ImageSize>`,
      `  <BlockSize> ${BLOCK} </BlockSize>`,
      `  <BlocksCount> ${count} </BlocksCount>`,
      `  <MappedBlocksCount> ${mapped} </MappedBlocksCount>`,
      '  <ChecksumType> sha256 </ChecksumType>',
      `  <BmapFileChecksum> ${checksum} </BmapFileChecksum>`,
      '  <BlockMap>',
      ...ranges.map(
        ({ first, last, sha256 }) =>
          `    <Range chksum="${sha256}"> ${first === last ? first : `${first}-${last}`} </Range>`,
      ),
      '  </BlockMap>',
      '</bmap>',
      '',
    ].join('\n');
  // Its own checksum is that of the text with zeros in the checksum's place.
  return text(
    createHash('sha256')
      .update(text('0'.repeat(64)))
      .digest('hex'),
  );
}
