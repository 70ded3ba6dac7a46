/**
 * `npm run fleet:bundle [-- DIRECTORY]`: writes the fleet into a folder (dist/fleet unless given) that needs nothing but
 * Node beside it.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { REQUIRE } from '../assembly/client/common-js.ts';
import { createLicenses, LICENSES } from '../assembly/licenses/licenses.ts';
import { writeBeside } from './assembly/beside.ts';

/** PostgreSQL in the process finds its WebAssembly beside its own files, so it stays a package. */
const PACKAGE = '@electric-sql/pglite';

/** Writes `fleet.mjs` and `tillnode-fleet.mjs`, what stands beside the first, the package that it loads, and the notices of all that is in them. */
async function bundle(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const licenses = createLicenses();
  await build({
    entryPoints: { fleet: 'runtime/fleet/main.ts', 'tillnode-fleet': 'runtime/fleet/cli/main.ts' },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    format: 'esm',
    banner: { js: REQUIRE },
    // The second is a faster client that nobody has to have.
    external: [PACKAGE, 'pg-native'],
    plugins: [licenses.collect],
    logLevel: 'warning',
  });
  cpSync(join('node_modules', PACKAGE), join(directory, 'node_modules', PACKAGE), {
    recursive: true,
    filter: (path) => !/\.(map|ts|cts)$/.test(path),
  });
  await writeBeside(directory, licenses.collect);
  writeFileSync(join(directory, LICENSES), licenses.text());
}

await bundle(process.argv[2] ?? 'dist/fleet');
