/**
 * The Debian package from its box to a receipt over the shop's Wi-Fi, an update and a restart, in a Debian with systemd,
 * NetworkManager, a radio, a printer and a camera that the kernel makes.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe } from 'vitest';
import { builtImage } from '../image/launched.ts';
import { needTools } from '../tools.ts';
import { againInShopSuite, inShopSuite } from './guest/in-shop.ts';
import { installedCameraSuite } from './guest/installed-camera.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bootSystem, STORY_MS } from './on-system.ts';
import { BUILD_MS, PACKED_NODE, packaged, VARIANT } from './package.ts';
import { Reports } from './reports.ts';

/** In `.ci/run` (`COUNTER=short`) it is not started again, and no camera is installed. */
const IS_SHORT = process.env['COUNTER'] === 'short';
/** Version of an image that is sent to the package. */
const LATER = '0.3.0';

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : needTools(['debootstrap']);

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'the Debian package on a counter', () => {
  const reports = new Reports();

  beforeAll(
    async () => {
      if ('missing' in machine) return;
      const image = join(CACHE, 'next.img');
      writeFileSync(image, builtImage(VARIANT, LATER));
      const env = {
        LAB_PACKAGE: `/host${packaged()[0]}`,
        ...(!IS_SHORT && { LAB_CAMERA_PACKAGE: `/host${packaged('.', 'camera')[0]}` }),
        LAB_IMAGE: `/host${resolve(image)}`,
        LAB_IMAGE_VERSION: LATER,
      };
      const programs = { program: 'in-shop-main.ts', radios: 'radios-main.ts', asks: 'ask-mdns.ts' };
      await bootSystem(machine, { ...programs, node: PACKED_NODE, env }, reports, IS_SHORT ? 1 : 2);
    },
    2 * STORY_MS + BUILD_MS,
  );

  inShopSuite(reports.it);
  if (IS_SHORT) return;
  againInShopSuite(reports.it);
  installedCameraSuite(reports.it);
});
