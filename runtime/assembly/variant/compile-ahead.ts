/** Compiles the bundle of an image ahead, with the Node that is going to run it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { COMPILED } from '../../image/compiled.ts';

/** Longest time that it may take, on a slow and busy machine. */
const TIMEOUT_MS = 120_000;

/**
 * Writes `node.cache` into the folder of an image, which has started for it, as far as a first receipt, with nothing of this machine.
 * Of one without devices of its own the file has the same bytes each time, on a machine that is not so busy that a start is held up
 * until timers are due that else come behind it. `node`: the program that runs the image, on this machine;
 * else the Node that runs this. Throws where that Node does not take what it has written.
 */
export function compileAhead(folder: string, node = process.execPath): void {
  // It would be the beginning of the new one.
  rmSync(join(folder, COMPILED), { force: true });
  const scratch = mkdtempSync(join(tmpdir(), 'tillnode-ahead-'));
  try {
    const program = join(scratch, 'ahead.mjs');
    buildSync({
      entryPoints: ['runtime/assembly/variant/ahead.ts'],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    // A node that is started by a launcher would ask it for things; other flags would make another file.
    const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, TILLNODE_BOOT: ___, ...env } = process.env;
    execFileSync(node, ['--random-seed=1', program, folder, join(scratch, 'state')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TIMEOUT_MS,
      env,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
