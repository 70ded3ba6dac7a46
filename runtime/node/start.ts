/** Starts and stops a node: settings, kernel, rooms and HTTP front. */

import type { Bindings } from '../bindings/bindings.ts';
import { createHttpServer, type HttpLimits } from '../http/server.ts';
import { Kernel } from '../kernel/kernel.ts';
import type { Logger } from '../kernel/log.ts';
import type { ImageInfo, Node, RunOptions } from '../kernel/node.ts';
import type { Pauses } from '../kernel/parked.ts';
import type { Plugin } from '../kernel/plugin.ts';
import { Contract, type Validators } from '../kernel/validator.ts';
import type { BuiltinRows } from '../recipes/table.ts';
import { SettingsStore } from './settings-store.ts';

/** Everything that a node is made of. */
export interface NodeParts {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly beside: Node['beside'];
  readonly plugins: readonly Plugin[];
  readonly recipes: BuiltinRows;
  readonly validators: Validators;
  readonly bindings: Bindings;
  readonly log: Logger;
  /** Other limits of the HTTP front than its own. */
  readonly limits?: Partial<HttpLimits>;
  /** How long the bus is to be quiet before devices are tried; by default `PAUSES_MS`. */
  readonly pausesMs?: Pauses;
}

/** A node that has started. */
export interface RunningNode {
  readonly kernel: Kernel;
  /** Base URL of the HTTP API. */
  readonly url: string;
  /** Whether the HTTP front answers a request of the node's own; resolves with false if not, never rejects. */
  works(): Promise<boolean>;
  /** Finishes the running job, then closes every device and port. */
  stop(): Promise<void>;
}

/**
 * Starts a node; resolves when its rooms have started and its HTTP front listens. Devices may be bound later. Rejects,
 * after stopping what had started, where a room does not start that others require, or any of an image on trial, or the port
 * cannot be used.
 */
export async function startNode(parts: NodeParts): Promise<RunningNode> {
  const { store, recovered } = await SettingsStore.open(parts.bindings.storage);
  if (recovered !== 'current' && recovered !== 'fresh') parts.log.warn({ recovered }, 'settings were recovered');
  const kernel = new Kernel({ ...parts, settings: store, contract: new Contract(parts.validators) });
  let http: Awaited<ReturnType<typeof createHttpServer>> | undefined;
  try {
    await kernel.start();
    // What an update broke is to be what it was before: the launcher goes back to that image.
    const { off } = kernel.rooms;
    if (parts.bindings.boot.onTrial && off.length > 0)
      throw new Error(`this image is on trial, and cannot start plugin ${off.join(', ')}`);
    http = await createHttpServer(kernel, kernel.routes, parts.limits);
  } catch (error) {
    await kernel.stop();
    throw error;
  }
  const server = http;
  return {
    kernel,
    url: `http://${kernel.listening.get('http')}`,
    works: () => server.works(),
    async stop() {
      await kernel.stop();
      await server.close();
    },
  };
}
