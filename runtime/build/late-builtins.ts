/**
 * What Node brings is loaded when it is first used, not when the bundle is: static imports would have each module loaded,
 * wrapped and linked before the first line runs, also those that a start does not need.
 */
import { builtinModules, createRequire } from 'node:module';
import type { Plugin as EsbuildPlugin } from 'esbuild';

const load = createRequire(import.meta.url);
const LATE = 'tillnode:late';
/**
 * A module whose exports load it when one is first used. Each is from then on a property of the object it was read of, as
 * fast as any. They are found by its prototype, so that esbuild has nothing to copy for every file that imports it.
 */
const late = `const exportsOf = (name) => new Proxy({}, {
  get: (_, key, user) => (key === '__esModule' ? undefined : (user[key] = process.getBuiltinModule(name)[key])),
});
exports.late = (name) => Object.create(exportsOf(name));
exports.lateFunction = (name) =>
  Object.setPrototypeOf((...all) => process.getBuiltinModule(name)(...all), exportsOf(name));`;

/** A module that is itself a class, such as `events`, has to be there at once. */
function sourceOf(name: string): string {
  const builtin = load(name) as object | (new () => object);
  const isFunction = typeof builtin === 'function';
  if (isFunction && Object.getOwnPropertyNames(builtin.prototype ?? {}).length > 1)
    return `module.exports = process.getBuiltinModule('${name}');`;
  return `module.exports = require('${LATE}').${isFunction ? 'lateFunction' : 'late'}('${name}');`;
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
