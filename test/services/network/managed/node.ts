/**
 * A node on its machine's own NetworkManager, in a namespace: `node.mjs SETTINGS`, JSON of the stored sections. Its
 * printer's paper is at `GET /twin/paper.txt`'s place: every notice is a line of the output.
 */

import { createLinks } from '../../../../runtime/bindings/native/links.ts';
import { createRadio } from '../../../../runtime/bindings/native/radio.ts';
import type { VirtualStorage } from '../../../../runtime/bindings/virtual/storage.ts';
import { definePlugin } from '../../../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import custody from '../../../../runtime/services/custody/index.ts';
import network from '../../../../runtime/services/network/index.ts';
import settings from '../../../../runtime/services/settings/index.ts';
import status from '../../../../runtime/services/status/index.ts';
import { storageWith } from '../../../storage.ts';

const [stored = '{}'] = process.argv.slice(2);
const storage: VirtualStorage = await storageWith(JSON.parse(stored));

const paper = definePlugin({
  name: 'paper',
  api: 2,
  room(node) {
    node.hooks.notice.tapPromise('paper', async (lines) => {
      process.stdout.write(`${JSON.stringify(lines)}\n`);
      return true;
    });
  },
});

const running = await startTestNode({
  plugins: [status, settings, custody, network, paper],
  recipes: [],
  storage,
  run: { host: '0.0.0.0', port: 80, appliance: true },
  bindings: () => ({ radio: createRadio(), links: createLinks() }),
});
process.on('SIGUSR1', () => void running.kernel.offered('custody')?.forgetNetwork.promise());
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
