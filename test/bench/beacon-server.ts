/** A node that serves on a link as wide as loopback, where the bench sends from addresses it makes up. */
import { setFlagsFromString } from 'node:v8';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

// As the images run (runtime/main.ts).
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');

const link = { name: 'lo', mac: '', addresses: [{ family: 4, address: '127.0.0.1', prefix: 8 }] } as const;
const links = { list: () => [link], watch: () => () => {} };
const run = { host: '0.0.0.0', port: 0 };
const node = await startTestNode({ plugins: wifiPlugins, recipes: [], run, bindings: () => ({ links }) });
process.stdout.write(`ready ${node.kernel.listening.get('http')}\n`);
process.on('SIGTERM', () => process.exit(0));
