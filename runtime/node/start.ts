/** A whole node from its parts: settings, kernel, rooms, HTTP front. Started and stopped in order. */

import type { Bindings } from '../bindings/bindings.ts';
import { createHttpServer } from '../http/server.ts';
import { Contract, type Validators } from '../kernel/contract.ts';
import { Kernel } from '../kernel/kernel.ts';
import type { Logger } from '../kernel/log.ts';
import type { ImageInfo, RunOptions } from '../kernel/node.ts';
import type { Plugin } from '../kernel/plugin.ts';
import type { RecipeRow } from '../kernel/recipes.ts';
import { SettingsStore } from './settings-store.ts';

export interface NodeParts {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly plugins: readonly Plugin[];
  readonly recipes: readonly RecipeRow[];
  readonly validators: Validators;
  readonly bindings: Bindings;
  readonly log: Logger;
}

export interface RunningNode {
  readonly kernel: Kernel;
  /** Base URL of the HTTP API. */
  readonly url: string;
  /** Whether a request gets through to its answer. */
  works(): Promise<boolean>;
  /** Finishes the job in hand, lets go of every device and port. */
  stop(): Promise<void>;
}

export async function startNode(parts: NodeParts): Promise<RunningNode> {
  const { store, recovered } = await SettingsStore.open(parts.bindings.storage);
  if (recovered !== 'current' && recovered !== 'fresh') parts.log.warn({ recovered }, 'settings were recovered');
  const kernel = new Kernel({ ...parts, settings: store, contract: new Contract(parts.validators) });
  let http: Awaited<ReturnType<typeof createHttpServer>> | undefined;
  try {
    await kernel.start();
    http = await createHttpServer(kernel, kernel.routes);
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
