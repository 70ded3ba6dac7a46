/**
 * What Node brings is loaded when it is first used, not when the bundle is: static imports would have each module loaded,
 * wrapped and linked before the first line runs, also those that a start does not need.
 */
import { builtinModules, createRequire } from 'node:module';
import type { Plugin as EsbuildPlugin } from 'esbuild';

const load = createRequire(import.meta.url);
const LATE = 'tillnode:late';
/** A module with these exports, separated by commas, each of which loads it. */
const late = `exports.late = (name, keys) => {
  let found;
  const there = {};
  for (const key of keys.split(','))
    Object.defineProperty(there, key, { enumerable: true, get: () => (found ??= process.getBuiltinModule(name))[key] });
  return there;
};`;

/**
 * The exports are those of the Node that builds, which is the oldest in CI: what only a newer one has is asked of
 * `process.getBuiltinModule`. A module that is itself a function, such as `events`, has to be there at once.
 */
function sourceOf(name: string): string {
  const builtin = load(name) as object;
  if (typeof builtin === 'function') return `module.exports = process.getBuiltinModule('${name}');`;
  return `module.exports = require('${LATE}').late('${name}', '${Object.keys(builtin).join(',')}');`;
}

export const lateBuiltins: EsbuildPlugin = {
  name: 'tillnode-late-builtins',
  setup(bundle) {
    const names = builtinModules.filter((name) => !name.startsWith('_')).join('|');
    const namespace = 'tillnode-builtin';
    bundle.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace,
      sideEffects: false,
    }));
    bundle.onResolve({ filter: new RegExp(`^${LATE}$`) }, () => ({ path: LATE, namespace }));
    bundle.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: path === LATE ? late : sourceOf(path) }));
  },
};
