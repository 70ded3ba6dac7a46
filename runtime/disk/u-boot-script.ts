/** The files by which U-Boot starts a disk, in the formats that it takes. */
import { crc32 } from 'node:zlib';

/** A script as U-Boot's `source` takes it: a header of 64 bytes (include/image.h, legacy image), and its length before it. */
export function scriptImage(script: string, epoch: number): Buffer {
  const text = Buffer.from(script);
  // One script: its length, and a zero that ends the list.
  const body = Buffer.concat([Buffer.alloc(8), text]);
  body.writeUInt32BE(text.length, 0);
  const header = Buffer.alloc(64);
  header.writeUInt32BE(0x27051956, 0);
  header.writeUInt32BE(epoch, 8);
  header.writeUInt32BE(body.length, 12);
  header.writeUInt32BE(crc32(body), 24);
  // Operating system Linux, architecture ARM64, type script, not compressed.
  header.set([5, 22, 6, 0], 28);
  header.write('tillnode', 32);
  header.writeUInt32BE(crc32(header), 4);
  return Buffer.concat([header, body]);
}

/** Size of the environment of U-Boot for a Raspberry Pi (CONFIG_ENV_SIZE). */
const ENVIRONMENT_BYTES = 0x4000;

/** The environment that U-Boot has in place of its own, of lines `name=value`: CRC-32, and strings that end with zero. */
export function environmentFile(lines: string): Buffer {
  const file = Buffer.alloc(ENVIRONMENT_BYTES);
  const variables = lines.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  file.write(`${variables.join('\0')}\0`, 4);
  file.writeUInt32LE(crc32(file.subarray(4)), 0);
  return file;
}
