/** Runs inside the machine, in a system of its own, each time it starts. Every line it prints is a report. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { againInShopSuite, inShopSuite } from './in-shop.ts';
import { installedCameraSuite } from './installed-camera.ts';
import { Suite } from './suite.ts';

const isInstalled = existsSync('/usr/lib/tillnode');
const suite = new Suite();
if (isInstalled) {
  againInShopSuite(suite.it);
  installedCameraSuite(suite.it);
} else {
  inShopSuite(suite.it);
}
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
if (isInstalled) process.exit();
spawnSync('systemctl', ['reboot']);
// Until the machine takes this away: what came next would be a power cut.
setInterval(() => {}, 1000);
