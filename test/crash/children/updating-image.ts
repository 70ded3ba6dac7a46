/**
 * An image of a few lines: says `up <version> <slot> <files>`, and takes the image file that it finds in ORDER, if that is
 * another version. `files` is `mixed` where its two files are not of one version.
 * Arguments: state directory. HASTY: writes the new files over the ones that run, as an updater would without slots.
 */
import { readFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBoot } from '../../../runtime/bindings/native/boot.ts';
import { createStorage } from '../../../runtime/bindings/native/storage.ts';
import { unpack } from '../../../runtime/image/pack.ts';
import { SettingsStore } from '../../../runtime/node/settings-store.ts';
import { takeIn } from '../../../runtime/services/update/intake.ts';

const [state = ''] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const say = (line: string) => writeSync(1, `${line}\n`);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

const { version } = JSON.parse(readFileSync(join(here, 'image.json'), 'utf8')) as { version: string };
const whole = readFileSync(join(here, 'main.js'), 'utf8').endsWith(`// end of ${version}\n`);
const boot = createBoot(() => process.exit(75));
const { store } = await SettingsStore.open(await createStorage(state));
boot.markGood(async () => true);
say(`up ${version} ${boot.slot} ${whole ? 'whole' : 'mixed'} ${String(store.read('shop'))}`);

const order = readFileSync(process.env['ORDER'] ?? '');
const { header, digest, files } = unpack(order);
if (header.version === version) {
  // Nothing to do but to be there.
  setInterval(() => {}, 1000);
} else if (process.env['HASTY'] !== undefined) {
  for (const { name, offset, size } of files) {
    const file = await open(join(here, name), 'w');
    await file.write(order.subarray(offset, offset + size));
    await file.close();
  }
  boot.restart();
} else {
  const chunks = async function* () {
    for (let at = 0; at < order.length; at += 16_384) yield order.subarray(at, at + 16_384);
  };
  const incoming = { length: order.length, sha256: digest, anyVariant: false, chunks: chunks() };
  const image = { variant: 'twin', trustedKeys: [process.env['TRUSTED'] ?? ''], securityFloor: 1 };
  if (boot.slots === undefined) throw new Error('no launcher');
  await takeIn(incoming, { image, slots: boot.slots, system: undefined, onReceived: () => {} });
  boot.restart();
}
