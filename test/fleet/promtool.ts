/** promtool(1) of Debian, out of the package of a server that is not installed: that would start one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aptGet } from '../tools.ts';

const CACHE = '.cache/prometheus';

/** Runs it. Returns its status, and what it wrote. Throws where it cannot be had. */
export function promtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(program(), args, { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

function program(): string {
  const installed = spawnSync('sh', ['-c', 'command -v promtool'], { encoding: 'utf8' }).stdout.trim();
  if (installed !== '') return installed;
  if (!existsSync(CACHE)) fetchPackage();
  return join(CACHE, 'usr/bin/promtool');
}

function fetchPackage(): void {
  mkdirSync('.cache', { recursive: true });
  const folder = mkdtempSync('.cache/prometheus-');
  const download = () => aptGet(['download', '-qq', 'prometheus'], folder);
  try {
    download();
  } catch {
    aptGet(['update', '-qq']);
    download();
  }
  const deb = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  execFileSync('dpkg', ['-x', join(folder, deb), folder]);
  rmSync(join(folder, deb));
  renameSync(folder, CACHE);
}
