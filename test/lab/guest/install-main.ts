/** Runs inside the machine: installs system bundles, one after the other, with the boot partition on /dev/vda as on a disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { type Input, install } from '../../../runtime/disk/system/install.ts';

const { LAB_BUNDLES = '', LAB_KEY = '', LAB_OPTIONS = '' } = process.env;
const BOOT = '/run/boot';
/** In memory: this is not about the root. */
const DEVICE = '/run/root_b';
const DEVICE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 65_536;

/** A connection on which all of these bytes come. */
function inputOf(bytes: Buffer): Input {
  let at = 0;
  return {
    async *bytes(count) {
      for (const end = at + count; at < end; ) {
        const piece = bytes.subarray(at, Math.min(end, at + PIECE_BYTES));
        at += piece.length;
        yield piece;
      }
    },
    line: async () => 'commit',
  };
}

for (const name of ['vfat', 'nls_ascii', 'nls_cp437']) execFileSync('modprobe', [name]);
mkdirSync(BOOT, { recursive: true });
for (const bundle of LAB_BUNDLES.split(' ')) {
  writeFileSync(DEVICE, '');
  truncateSync(DEVICE, DEVICE_BYTES);
  execFileSync('mount', ['-t', 'vfat', '-o', LAB_OPTIONS, '/dev/vda', BOOT]);
  const version = await install(
    inputOf(readFileSync(bundle)),
    { anyVariant: false },
    { slot: 'b', device: DEVICE, boot: BOOT, variant: 'wifi', trustedKeys: [LAB_KEY], securityFloor: 0 },
    () => {},
  );
  process.stdout.write(`${JSON.stringify({ version })}\n`);
  execFileSync('umount', [BOOT]);
}
