/** Contracts as plain data, in images and pages. */
import { resolve } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';

/**
 * Replaces the files of contracts (`contract.ts`, and what stands in `contract/`) by plain data, reduced by `needed`: an image
 * and a page do not contain the schema library. `contracts`: the exports of each, by its path; one that is not among them stays as it is.
 */
export const contractsAsData = (
  contracts: () => Promise<ReadonlyMap<string, object>>,
  needed: (value: unknown) => unknown,
): EsbuildPlugin => ({
  name: 'tillnode-contracts',
  setup(bundle) {
    bundle.onLoad({ filter: /\/contract(?:\/[^/]+)?\.ts$/ }, async ({ path }) => {
      const contract = (await contracts()).get(resolve(path));
      if (contract === undefined) return undefined;
      const contents = Object.entries(contract).map(([key, value]) => {
        if (typeof value === 'function') throw new Error(`${path}: ${key} is a function; a contract is data`);
        return `export const ${key} = ${JSON.stringify(needed(value))};`;
      });
      return { contents: contents.join('\n'), loader: 'js' };
    });
  },
});
