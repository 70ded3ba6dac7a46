/** A node on the machine's own links, whose profile goes back and forth with every SIGUSR2. */
import { createVirtualDevice } from '../../plugins/printer/virtual/device.ts';
import { createLinks } from '../../runtime/bindings/native/links.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import type {} from '../../runtime/services/discovery/contract.ts';
import { wifiPlugins } from '../plugins.ts';

const { kernel } = await startTestNode({
  plugins: wifiPlugins,
  recipes: [],
  devices: { printer: createVirtualDevice },
  run: { host: '::', port: 80, ports: { raw: 9100 } },
  bindings: () => ({ links: createLinks() }),
});
process.on('SIGUSR2', () => {
  const profile = kernel.config.get('profile') === 'generic' ? 'epson-tm-t88v' : 'generic';
  void kernel.config.patch({ profile });
});
process.on('SIGTERM', () => process.exit(0));
