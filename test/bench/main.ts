/** `npm run bench`: every bar of this project in one run, ours and theirs side by side. `--json`: an object a line. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { needTools } from '../tools.ts';
import { beaconBench } from './beacon.ts';
import { bootBench } from './boot.ts';
import { bootPhasesBench } from './boot-phases.ts';
import { cloudBench } from './cloud.ts';
import { counterBench } from './counter.ts';
import { discoveryBench } from './discovery.ts';
import { diskBench } from './disk.ts';
import { drawBench } from './draw.ts';
import { drawerBench } from './drawer.ts';
import { fleetBench } from './fleet.ts';
import { fleetPageBench } from './fleet-page.ts';
import { ippBench } from './ipp.ts';
import type { Entry } from './measure.ts';
import { printBench } from './print.ts';
import { pulledBench } from './pulled.ts';
import { rawBench } from './raw.ts';
import { renderBench } from './render.ts';
import { startBench } from './start.ts';
import { testingBench } from './testing.ts';
import { unreadBench } from './unread.ts';
import { updateBench } from './update.ts';
import { webhookBench } from './webhook.ts';

/** `>=` or `<=` and the figure to reach. */
const BARS: Readonly<Record<string, readonly ['>=' | '<=', number]>> = {
  'render.vs.receipt-printer-encoder': ['>=', 80],
  'render.vs.receiptline': ['>=', 55],
  'render.vs.node-thermal-printer': ['>=', 30],
  'render.vs.node-escpos': ['>=', 1.8],
  'render.growth': ['<=', 1.3],
  'draw.thai.vs.receiptline-image': ['>=', 3],
  'draw.thai.vs.canvas': ['>=', 3],
  'draw.first': ['<=', 1],
  'draw.row': ['<=', 1],
  'draw.loop': ['<=', 0.5],
  'draw.rss': ['<=', 1],
  'draw.pack': ['<=', 1],
  'print.vs.bare-http': ['>=', 0.5],
  'print.vs.express': ['>=', 2],
  'raw.vs.p910nd': ['>=', 0.3],
  'raw.rss': ['<=', 1],
  'drawer.p99': ['<=', 0.01],
  'pulled.print.vs.bare-http': ['>=', 0.5],
  'pulled.drawer.p99': ['<=', 0.01],
  'pulled.rss': ['<=', 1],
  'status9100.p99': ['<=', 0.03],
  'unread.rss': ['<=', 1],
  'unread.status.p99': ['<=', 1],
  'ipp.end.text': ['<=', 1],
  'ipp.end.picture': ['<=', 1],
  'ipp.rss.long': ['<=', 1],
  'ipp.rss.many': ['<=', 1],
  'start.vs.node': ['<=', 2.5],
  'start.wifi.vs.node': ['<=', 2.2],
  'idle.rss.vs.node': ['<=', 1.3],
  'restart.printing': ['<=', 1],
  'scan.p99': ['<=', 3],
  'scan.flood': ['>=', 1],
  'scan.flood.loop': ['<=', 1],
  'hotplug.storm.rss': ['<=', 1.1],
  'recipes.lookup': ['>=', 0.8],
  'beacon.flood': ['<=', 1.1],
  'webhook.isolation': ['<=', 1.2],
  'webhook.rate': ['>=', 0.7],
  'cloud.isolation': ['<=', 1.2],
  'mdns.switch': ['<=', 1],
  'mdns.flood': ['<=', 3],
  'update.rss': ['<=', 1],
  'update.rate': ['>=', 0.4],
  'image.size': ['<=', 1],
  'boot.overhead': ['<=', 1.2],
  'testing.start': ['<=', 0.6],
  'disk.boot': ['<=', 0.9],
  'disk.receipt': ['<=', 0.6],
  'disk.memory': ['<=', 1],
  'fleet.page': ['<=', 3],
  'fleet.ingest': ['>=', 10],
  'fleet.ingest.pglite': ['>=', 10],
  'fleet.rss': ['<=', 1.5],
  'fleet.rss.pglite': ['<=', 1.5],
};

const json = process.argv.includes('--json');
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const bundles = import.meta.dirname;
process.env['RIVALS'] = join(process.cwd(), 'test/bench/rivals');

const suites: Readonly<Record<string, () => Promise<Entry[]>>> = {
  render: renderBench,
  draw: drawBench,
  print: () => printBench(bundles),
  raw: () => rawBench(bundles),
  unread: unreadBench,
  ipp: ippBench,
  drawer: drawerBench,
  pulled: () => pulledBench(bundles),
  start: startBench,
  counter: () => counterBench(bundles),
  beacon: () => beaconBench(bundles),
  webhook: () => webhookBench(bundles),
  cloud: cloudBench,
  discovery: () => discoveryBench(bundles),
  update: updateBench,
  boot: bootBench,
  testing: testingBench,
  fleetPage: fleetPageBench,
  fleet: () => fleetBench(bundles),
  disk: diskBench,
  'boot.phases': bootPhasesBench,
};
/** Run if they are named, `--only=disk,boot.phases,pulled`: the first two take many minutes, in an emulated machine. */
const NAMED_ONLY = ['disk', 'boot.phases', 'pulled'];

execFileSync('npm', ['ci', '--prefix', 'test/bench/rivals', '--no-audit', '--no-fund', '--silent'], {
  stdio: 'inherit',
});
const missing = needTools(['p910nd']);
if (missing !== undefined) throw new Error(missing);

let missed = 0;
for (const [name, suite] of Object.entries(suites)) {
  if (only === undefined ? NAMED_ONLY.includes(name) : !only.includes(name)) continue;
  for (const entry of await suite()) {
    const bar = BARS[entry.name];
    const held = bar === undefined || (bar[0] === '>=' ? entry.ratio >= bar[1] : entry.ratio <= bar[1]);
    if (!held) missed += 1;
    if (json) process.stdout.write(`${JSON.stringify(entry)}\n`);
    else {
      const figures = `${entry.ours.toFixed(2)} against ${entry.theirs.toFixed(2)} ${entry.unit}`;
      const verdict = bar === undefined ? '' : `${held ? 'holds' : 'MISSED'} (${bar[0]} ${bar[1]})`;
      process.stdout.write(
        `${entry.name.padEnd(36)} ${entry.ratio.toFixed(3).padStart(9)}  ${figures.padEnd(44)} ${verdict}\n`,
      );
    }
  }
}
process.exit(missed === 0 ? 0 : 1);
