/** A node on the machine's own links: `node.mjs HOST DEVICE-ID PRINTER…`. Says `ready` and the host name it is found by. */
import { createVirtualDevice } from '../../../../plugins/printer/virtual/device.ts';
import { createLinks } from '../../../../runtime/bindings/native/links.ts';
import { withEndpoints } from '../../../../runtime/kernel/composition.ts';
import { definePlugin } from '../../../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { wifiPlugins } from '../../../plugins.ts';

const [host = '::', deviceId = '00000000', ...printers] = process.argv.slice(2);

const identity = definePlugin({
  name: 'identity',
  api: 2,
  room(node) {
    node.hooks.start.tapPromise({ name: 'identity', stage: -1000 }, () =>
      node.settings.update((draft) => {
        draft['identity'] = { deviceId };
      }),
    );
    let before: string | undefined;
    node.hooks.presence.tap('identity', () => {
      const name = node.listening.get('mdns');
      if (name !== undefined && name !== before) process.stdout.write(`ready ${name}\n`);
      before = name;
    });
  },
});

const running = await startTestNode({
  plugins: withEndpoints([...wifiPlugins, identity], { printer: printers }),
  recipes: [],
  devices: Object.fromEntries(printers.map((endpoint) => [endpoint, createVirtualDevice])),
  run: { host, port: 80, ports: { raw: 9100 } },
  bindings: () => ({ links: createLinks() }),
});
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
