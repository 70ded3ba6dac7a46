/** A node of any rooms in this process, on virtual parts: what our own tests start. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from '../kernel/composition.ts';
import type { Validators } from '../kernel/contract.ts';
import { CORE_ERRORS } from '../kernel/core-errors.ts';
import type { Plugin } from '../kernel/plugin.ts';
import { expandMakerFile, type RecipeRow } from '../kernel/recipes.ts';
import { compileValidators } from '../kernel/schemas.ts';
import { startVirtualNode, type VirtualNode, type VirtualNodeOptions } from './virtual.ts';

export type TestNode = VirtualNode;
export type TestNodeOptions = Omit<VirtualNodeOptions, 'recipes' | 'validators'> & {
  readonly recipes?: readonly RecipeRow[];
};

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

/** The compiled-in rows, read from the recipes folder. */
function builtinRecipes(): RecipeRow[] {
  const directory = new URL('../../recipes/', import.meta.url);
  return readdirSync(fileURLToPath(directory))
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .flatMap((name) => expandMakerFile(JSON.parse(readFileSync(new URL(name, directory), 'utf8'))));
}

const compiled = new WeakMap<readonly Plugin[], Validators>();

/** Compiled once for a list of plugins: many tests start one list again and again. */
function validatorsOf(plugins: readonly Plugin[]): Validators {
  const validators = compiled.get(plugins) ?? compileValidators(compose(plugins, CORE_ERRORS));
  compiled.set(plugins, validators);
  return validators;
}

/** The validators are compiled here and now; the recipes are those of the tree where none are given. */
export const startTestNode = (options: TestNodeOptions): Promise<TestNode> =>
  startVirtualNode({
    ...options,
    recipes: options.recipes ?? builtinRecipes(),
    validators: validatorsOf(options.plugins),
  });
