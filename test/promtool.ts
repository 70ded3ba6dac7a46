/** promtool(1) of Debian; until Debian 12 out of the package of a server that is not installed: that would start one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { needUnpacked } from './tools.ts';

const found = needUnpacked('promtool', 'prometheus');
/** Why there is none, or undefined. */
export const noPromtool = 'missing' in found ? found.missing : undefined;

/** Runs it. Returns its status, and what it wrote. */
export function promtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly said: string } {
  if ('missing' in found) throw new Error(found.missing);
  const { status, stdout, stderr } = spawnSync(join(found.folder, 'usr/bin/promtool'), args, {
    input,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}
