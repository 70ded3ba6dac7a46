/**
 * Starts a node with virtual bindings in this process; it uses nothing of the machine but ports of the loopback
 * interface.
 */

import type { Bindings } from '../bindings/bindings.ts';
import { createBench, type VirtualBench } from '../bindings/virtual/bindings.ts';
import { VirtualBoot } from '../bindings/virtual/boot.ts';
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import { VirtualHost } from '../bindings/virtual/host.ts';
import { VirtualLinks } from '../bindings/virtual/links.ts';
import { VirtualStorage } from '../bindings/virtual/storage.ts';
import { VirtualVideo } from '../bindings/virtual/video.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import type { ImageInfo, Node, RunOptions } from '../kernel/node.ts';
import type { Plugin } from '../kernel/plugin.ts';
import type { Validators } from '../kernel/validator.ts';
import type { BuiltinRows } from '../recipes/table.ts';
import { type NodeParts, type RunningNode, startNode } from './start.ts';

/** The parts of the node, and what differs from the defaults. */
export interface VirtualNodeOptions {
  readonly plugins: readonly Plugin[];
  readonly beside: Node['beside'];
  /** Virtual devices plugged in at start, by the name of their room. */
  readonly devices?: Readonly<Record<string, () => VirtualDevice>>;
  /** Virtual devices that are created but not plugged in. */
  readonly atHand?: Readonly<Record<string, () => VirtualDevice>>;
  readonly recipes: BuiltinRows;
  readonly validators: Validators;
  readonly storage?: VirtualStorage;
  /** Default: started from slot `a` after power-on, under a launcher. */
  readonly boot?: VirtualBoot;
  /** Changes to the default image: variant `twin` with 16 channels and both bands. */
  readonly image?: Partial<ImageInfo>;
  /** Changes to the default options: loopback, any free port, no appliance. */
  readonly run?: Partial<RunOptions>;
  /** Further bindings, or other ones than the virtual ones. */
  readonly bindings?: (bench: VirtualBench) => Partial<Bindings>;
  readonly log?: Logger;
  readonly limits?: NonNullable<NodeParts['limits']>;
  readonly pausesMs?: NonNullable<NodeParts['pausesMs']>;
}

/** A running node and its virtual bindings. */
export interface VirtualNode extends RunningNode {
  readonly bench: VirtualBench;
  readonly host: VirtualHost;
  readonly storage: VirtualStorage;
  readonly boot: VirtualBoot;
  readonly links: VirtualLinks;
  /** HOST:PORT of the first raw port, which is open while a printer is bound; undefined if the variant has none. */
  readonly raw: string | undefined;
}

/** Starts the node; resolves when every device that was plugged in is bound or refused. Rejects as `startNode`. */
export async function startVirtualNode(options: VirtualNodeOptions): Promise<VirtualNode> {
  const {
    plugins,
    beside,
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
      scripts: [],
      ...options.image,
    },
    run: { host: '127.0.0.1', port: 0, ports: {}, appliance: false, ...options.run },
    beside,
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
    ...(options.limits && { limits: options.limits }),
    ...(options.pausesMs && { pausesMs: options.pausesMs }),
  });
  await node.kernel.hotplug.settled();
  return { ...node, bench, host, storage, boot, links, raw: node.kernel.listening.reserved.get('raw') };
}
