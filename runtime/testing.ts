/** A node of any rooms in this process, on virtual parts: what our own tests start. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from './kernel/composition.ts';
import { CORE_ERRORS } from './kernel/core-errors.ts';
import { expandMakerFile, type RecipeRow } from './kernel/recipes.ts';
import { compileValidators } from './kernel/schemas.ts';
import { startVirtualNode, type VirtualNode, type VirtualNodeOptions } from './virtual-node.ts';

export type TestNode = VirtualNode;
export type TestNodeOptions = Omit<VirtualNodeOptions, 'recipes' | 'validators'> & {
  readonly recipes?: readonly RecipeRow[];
};

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

/** The compiled-in rows, read from the recipes folder. */
export function builtinRecipes(): RecipeRow[] {
  const directory = new URL('../recipes/', import.meta.url);
  return readdirSync(fileURLToPath(directory))
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .flatMap((name) => expandMakerFile(JSON.parse(readFileSync(new URL(name, directory), 'utf8'))));
}

/** The validators are compiled here and now; the recipes are those of the tree where none are given. */
export const startTestNode = (options: TestNodeOptions): Promise<TestNode> =>
  startVirtualNode({
    ...options,
    recipes: options.recipes ?? builtinRecipes(),
    validators: compileValidators(compose(options.plugins, CORE_ERRORS)),
  });
