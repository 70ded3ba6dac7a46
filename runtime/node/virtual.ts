/** A whole node in this process on virtual parts, reached on loopback: nothing of the machine is touched but its ports. */
import type { Bindings } from '../bindings/bindings.ts';
import { createBench, type VirtualBench } from '../bindings/virtual/bindings.ts';
import { VirtualBoot } from '../bindings/virtual/boot.ts';
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import { VirtualHost } from '../bindings/virtual/host.ts';
import { VirtualLinks } from '../bindings/virtual/links.ts';
import { VirtualStorage } from '../bindings/virtual/storage.ts';
import { VirtualVideo } from '../bindings/virtual/video.ts';
import type { Validators } from '../kernel/contract.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import type { ImageInfo, RunOptions } from '../kernel/node.ts';
import type { Plugin } from '../kernel/plugin.ts';
import type { RecipeRow } from '../kernel/recipes.ts';
import { type RunningNode, startNode } from './start.ts';

export interface VirtualNodeOptions {
  readonly plugins: readonly Plugin[];
  /** Virtual devices plugged in at start, by the name of their room. */
  readonly devices?: Readonly<Record<string, () => VirtualDevice>>;
  /** Made, and left beside the bus. */
  readonly atHand?: Readonly<Record<string, () => VirtualDevice>>;
  readonly recipes: readonly RecipeRow[];
  readonly validators: Validators;
  readonly storage?: VirtualStorage;
  /** What started the node; on slot a by a launcher where not given. */
  readonly boot?: VirtualBoot;
  /** What differs from a twin with 16 channels and both bands. */
  readonly image?: Partial<ImageInfo>;
  /** What differs from a start on loopback at any port, on somebody's own computer. */
  readonly run?: Partial<RunOptions>;
  /** Parts of the machine beside the virtual bus, storage and memory. */
  readonly bindings?: (bench: VirtualBench) => Partial<Bindings>;
  readonly log?: Logger;
}

export interface VirtualNode extends RunningNode {
  readonly bench: VirtualBench;
  readonly host: VirtualHost;
  readonly storage: VirtualStorage;
  readonly boot: VirtualBoot;
  readonly links: VirtualLinks;
  /** HOST:PORT of port 9100, where the variant has it; open while a printer is bound. */
  readonly raw: string | undefined;
}

export async function startVirtualNode(options: VirtualNodeOptions): Promise<VirtualNode> {
  const {
    plugins,
    recipes,
    validators,
    storage = new VirtualStorage(),
    boot = new VirtualBoot(),
    log = silentLogger,
  } = options;
  const bench = createBench(options.devices ?? {}, options.atHand);
  const host = new VirtualHost();
  const links = new VirtualLinks();
  const node = await startNode({
    image: {
      variant: 'twin',
      version: '0.0.0-test',
      usbChannels: 16,
      hardware: { bands: ['2.4', '5'] },
      trustedKeys: [],
      securityFloor: 1,
      ...options.image,
    },
    run: { host: '127.0.0.1', port: 0, ports: {}, appliance: false, ...options.run },
    plugins,
    recipes,
    validators,
    bindings: {
      usb: bench.usb,
      video: new VirtualVideo(bench.usb),
      storage,
      host,
      boot,
      links,
      buttons: bench.buttons,
      bench,
      ...options.bindings?.(bench),
    },
    log,
  });
  await node.kernel.hotplug.settled();
  return { ...node, bench, host, storage, boot, links, raw: node.kernel.listening.reserved.get('raw') };
}
