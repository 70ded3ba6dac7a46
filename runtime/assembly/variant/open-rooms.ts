/** Makes the rooms of a variant once at build time, so that a plugin which cannot work in it is told then, by its name. */
import { Refused } from '../../base/refused.ts';
import { createBench } from '../../bindings/virtual/bindings.ts';
import { VirtualBoot } from '../../bindings/virtual/boot.ts';
import { VirtualHost } from '../../bindings/virtual/host.ts';
import { VirtualLinks } from '../../bindings/virtual/links.ts';
import { VirtualStorage } from '../../bindings/virtual/storage.ts';
import { VirtualVideo } from '../../bindings/virtual/video.ts';
import { Kernel } from '../../kernel/kernel.ts';
import { silentLogger } from '../../kernel/log.ts';
import type { Plugin } from '../../kernel/plugin.ts';
import { Contract } from '../../kernel/validator.ts';
import type { Variant } from './variant.ts';

/**
 * Composes the plugins and makes their rooms in a node that never starts, with virtual devices. Throws a CompositionError, or
 * a Refused that names the plugin and says what its `offers` or `room` threw: a hook that this node does not have, for one.
 */
export function openRooms(plugins: readonly Plugin[], variant: Variant): void {
  const bench = createBench({});
  const { usbChannels, hardware, trustedKeys, securityFloor } = variant;
  const kernel = new Kernel({
    image: { variant: 'build', version: '0.0.0', usbChannels, hardware, trustedKeys, securityFloor, scripts: [] },
    run: { host: '127.0.0.1', port: 0, ports: {}, appliance: false },
    beside: (name) => {
      throw new Error(`${name} is not written yet`);
    },
    plugins: plugins.map(({ requires: _, ...plugin }) => plugin),
    recipes: [],
    bindings: {
      usb: bench.usb,
      video: new VirtualVideo(bench.usb),
      storage: new VirtualStorage(),
      host: new VirtualHost(),
      boot: new VirtualBoot(),
      links: new VirtualLinks(),
      buttons: bench.buttons,
      bench,
    },
    settings: { read: () => undefined, update: async () => {} },
    contract: new Contract({}),
    log: silentLogger,
  });
  const [fault] = kernel.rooms.faults;
  if (fault !== undefined) throw new Refused(`${fault.room}: its ${fault.where} throws: ${fault.error}`);
}
