/**
 * A node on this machine's own parts that gives credentials up after one attempt, where an image tries for about three
 * minutes. Of an image's rooms it has those that a setup needs.
 */
import { readFileSync } from 'node:fs';
import printer from '../../../plugins/printer/index.ts';
import { openBindings } from '../../../runtime/bindings/native/bindings.ts';
import { parseOptions } from '../../../runtime/boot/options.ts';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import type { Logger } from '../../../runtime/kernel/log.ts';
import { compileValidators } from '../../../runtime/kernel/schemas.ts';
import { startNode } from '../../../runtime/node/start.ts';
import { expandMakerFile } from '../../../runtime/recipes/row.ts';
import custody from '../../../runtime/services/custody/index.ts';
import { network } from '../../../runtime/services/network/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';

const plugins = [status, settings, custody, network({ healMs: 0 }), printer];
const { state, ...run } = parseOptions(process.argv.slice(2), { host: '', port: 0, ports: { raw: 0 }, state: '' });
const write = (fields: object, message: string) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
const log: Logger = { debug: write, info: write, warn: write, error: write };
const node = await startNode({
  image: {
    variant: 'wifi',
    version: '0.0.0-lab',
    usbChannels: 8,
    hardware: { bands: ['2.4'] },
    trustedKeys: [],
    securityFloor: 1,
    scripts: [],
  },
  run,
  beside: (name) => name,
  plugins,
  recipes: expandMakerFile(JSON.parse(readFileSync('recipes/epson.json', 'utf8'))),
  validators: compileValidators(compose(plugins, CORE_ERRORS)),
  bindings: await openBindings(state, () => process.exit(1)),
  log,
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
process.stdout.write(`ready ${node.url}\nraw ${node.kernel.listening.get('raw')}\n`);
