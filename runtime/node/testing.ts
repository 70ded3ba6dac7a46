/** Starts a node with any rooms and virtual bindings in this process, for the tests of this tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from '../kernel/composition.ts';
import { CORE_ERRORS } from '../kernel/core-errors.ts';
import type { Plugin } from '../kernel/plugin.ts';
import { compileValidators } from '../kernel/schemas.ts';
import type { Validators } from '../kernel/validator.ts';
import { expandMakerFile, type RecipeRow } from '../recipes/row.ts';
import { startVirtualNode, type VirtualNode, type VirtualNodeOptions } from './virtual.ts';

/** The running node, with its virtual bindings. */
export type TestNode = VirtualNode;
/**
 * What differs from the defaults; `recipes` are by default all rows of recipes/, `beside` the files of the twin in the package
 * `tillnode`. From sources, where there is none, a test that draws text says where they are.
 */
export type TestNodeOptions = Omit<VirtualNodeOptions, 'recipes' | 'validators' | 'beside'> & {
  readonly beside?: VirtualNodeOptions['beside'];
  readonly recipes?: readonly RecipeRow[];
};

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

let builtin: readonly RecipeRow[] | undefined;
/** All rows of the folder recipes/, read once. */
function builtinRecipes(): readonly RecipeRow[] {
  const directory = new URL('../../recipes/', import.meta.url);
  builtin ??= readdirSync(fileURLToPath(directory))
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .flatMap((name) => expandMakerFile(JSON.parse(readFileSync(new URL(name, directory), 'utf8'))));
  return builtin;
}

const besideTwin = (name: string): string => fileURLToPath(new URL(`../twin/${name}`, import.meta.url));

const compiled = new WeakMap<readonly Plugin[], Validators>();

/** Compiles validators once for each list of plugins, as many tests start the same list. */
function validatorsOf(plugins: readonly Plugin[]): Validators {
  const validators = compiled.get(plugins) ?? compileValidators(compose(plugins, CORE_ERRORS));
  compiled.set(plugins, validators);
  return validators;
}

/** Starts the node. Rejects if the plugins do not compose or a room does not start. */
export const startTestNode = (options: TestNodeOptions): Promise<TestNode> =>
  startVirtualNode({
    beside: besideTwin,
    ...options,
    recipes: options.recipes ?? builtinRecipes(),
    validators: validatorsOf(options.plugins),
  });
