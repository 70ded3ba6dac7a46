/**
 * What Node brings, and what of packages no start needs, is loaded when it is first used, not when the bundle is: static
 * imports would have each module loaded, wrapped and linked before the first line runs.
 */
import { builtinModules, createRequire } from 'node:module';
import type { Plugin as EsbuildPlugin } from 'esbuild';

const load = createRequire(import.meta.url);
const LATE = 'tillnode:late';
/** Marks a request to resolve the real module, which must not get the late one again. */
const LOADED = 'loaded';
/**
 * A module whose exports load it when one is first used. Each is from then on a property of the object it was read of, as
 * fast as any. They are found by its prototype, so that esbuild has nothing to copy for every file that imports it.
 */
const late = `const exportsOf = (load) => new Proxy({}, {
  get: (_, key, user) => (key === '__esModule' ? undefined : (user[key] = load()[key])),
});
exports.late = (load) => Object.create(exportsOf(load));
const once = (load) => {
  let loaded;
  return () => (loaded ??= load());
};
exports.lateFunction = (load) => {
  const loaded = once(load);
  return Object.setPrototypeOf((...all) => loaded()(...all), exportsOf(loaded));
};
exports.lateClass = (load) => {
  const loaded = once(load);
  return Object.setPrototypeOf(class { constructor(...all) { return new (loaded())(...all); } }, exportsOf(loaded));
};`;

/** Modules of packages in CommonJS that no node needs before it is ready, and what each is. */
const OF_PACKAGES: Readonly<Record<string, 'late' | 'lateClass'>> = {
  'dns-packet': 'late',
  'mdns-js/lib/advertisement.js': 'lateClass',
  'mdns-js/lib/service_type.js': 'late',
  saxes: 'late',
};

/** A module that is itself a class, such as `events`, has to be there at once. */
function sourceOf(name: string): string {
  const builtin = load(name) as object | (new () => object);
  const isFunction = typeof builtin === 'function';
  const loaded = `process.getBuiltinModule('${name}')`;
  if (isFunction && Object.getOwnPropertyNames(builtin.prototype ?? {}).length > 1)
    return `module.exports = ${loaded};`;
  return `module.exports = require('${LATE}').${isFunction ? 'lateFunction' : 'late'}(() => ${loaded});`;
}

export const lateModules: EsbuildPlugin = {
  name: 'tillnode-late-modules',
  setup(bundle) {
    const names = builtinModules.filter((name) => !name.startsWith('_')).join('|');
    const namespace = 'tillnode-builtin';
    const ofPackage = 'tillnode-of-package';
    bundle.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace,
      sideEffects: false,
    }));
    bundle.onResolve({ filter: new RegExp(`^${LATE}$`) }, () => ({ path: LATE, namespace }));
    bundle.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: path === LATE ? late : sourceOf(path) }));
    bundle.onResolve(
      { filter: new RegExp(`^(${Object.keys(OF_PACKAGES).join('|')})$`) },
      ({ path, pluginData, resolveDir }) =>
        pluginData === LOADED ? undefined : { path, namespace: ofPackage, pluginData: resolveDir },
    );
    bundle.onLoad({ filter: /.*/, namespace: ofPackage }, async ({ path, pluginData }) => {
      const found = await bundle.resolve(path, { kind: 'require-call', resolveDir: pluginData, pluginData: LOADED });
      const loaded = `require(${JSON.stringify(found.path)})`;
      return {
        contents: `module.exports = require('${LATE}').${OF_PACKAGES[path]}(() => ${loaded});`,
        resolveDir: pluginData,
      };
    });
  },
};
