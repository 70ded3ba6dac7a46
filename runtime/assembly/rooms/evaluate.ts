/** Evaluates source text of this tree at build time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build, type Plugin as EsbuildPlugin } from 'esbuild';
import { ownPackage } from './own-package.ts';

const ROOT = process.cwd();

/**
 * Bundles TypeScript source and its imports to a temporary module, imports that, and resolves with its exports. The
 * module is below `node_modules`, so that packages are found; it is deleted afterwards. Rejects if a file does not
 * compile, with its path, line and column.
 */
export async function evaluateModule(
  source: string,
  plugins: readonly EsbuildPlugin[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const scratch = await mkdtemp(join(ROOT, 'node_modules', '.tillnode-'));
  try {
    const outfile = join(scratch, 'module.mjs');
    await build({
      stdin: { contents: source, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      plugins: [ownPackage(ROOT), ...plugins],
      outfile,
      logLevel: 'silent',
    });
    return (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const [{ text, location } = { text: '', location: null }] = (error as Partial<BuildFailure>).errors ?? [];
    if (location === null) throw error;
    throw new Error(`${location.file}:${location.line}:${location.column}: ${text}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
