/** A whole node in this process, on virtual parts: what our tests and those of a third party start. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createBench, type VirtualBench } from './bindings/virtual/bindings.ts';
import type { VirtualDevice } from './bindings/virtual/device.ts';
import { VirtualHost } from './bindings/virtual/host.ts';
import { VirtualStorage } from './bindings/virtual/storage.ts';
import { compose } from './kernel/composition.ts';
import { CORE_ERRORS } from './kernel/core-errors.ts';
import { type Logger, silentLogger } from './kernel/log.ts';
import type { Plugin } from './kernel/plugin.ts';
import { expandMakerFile, type RecipeRow } from './kernel/recipes.ts';
import { compileValidators } from './kernel/schemas.ts';
import { type RunningNode, startNode } from './node.ts';

export interface TestNodeOptions {
  readonly plugins: readonly Plugin[];
  /** Virtual devices plugged in at start, by the name of their room. */
  readonly devices?: Readonly<Record<string, () => VirtualDevice>>;
  readonly recipes?: readonly RecipeRow[];
  readonly storage?: VirtualStorage;
  readonly variant?: string;
  readonly log?: Logger;
}

export interface TestNode extends RunningNode {
  readonly bench: VirtualBench;
  readonly host: VirtualHost;
  readonly storage: VirtualStorage;
  /** HOST:PORT of port 9100, where the variant has it. */
  readonly raw: string | undefined;
}

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

/** The compiled-in rows, read from the recipes folder. */
export function builtinRecipes(): RecipeRow[] {
  const directory = new URL('../recipes/', import.meta.url);
  return readdirSync(fileURLToPath(directory))
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .flatMap((name) => expandMakerFile(JSON.parse(readFileSync(new URL(name, directory), 'utf8'))));
}

export async function startTestNode(options: TestNodeOptions): Promise<TestNode> {
  const { plugins, variant = 'twin', storage = new VirtualStorage(), log = silentLogger } = options;
  const bench = createBench(options.devices ?? {});
  const host = new VirtualHost();
  const node = await startNode({
    image: { variant, version: '0.0.0-test', usbChannels: 16 },
    run: { host: '127.0.0.1', port: 0, rawPort: 0, appliance: false },
    plugins,
    recipes: options.recipes ?? builtinRecipes(),
    validators: compileValidators(compose(plugins, CORE_ERRORS)),
    bindings: { usb: bench.usb, storage, host, bench },
    log,
  });
  await node.kernel.hotplug.settled();
  return { ...node, bench, host, storage, raw: node.kernel.listening.get('raw') };
}
