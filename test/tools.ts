/** System programs that some suites need: installed where this process may, named where it may not. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const has = (command: string) =>
  command.startsWith('/') ? existsSync(command) : spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/**
 * Makes sure of commands, by the Debian package of each (`package`, `package:command`, or `package:/path/of/a/file`).
 * Returns what is missing and why, or undefined. With CI=true a missing tool is an error, never a skip.
 */
export function needTools(wanted: readonly string[]): string | undefined {
  const tools = wanted.map((entry) => {
    const [name = entry, command = name] = entry.split(':');
    return { name, command };
  });
  const missing = () => [...new Set(tools.filter(({ command }) => !has(command)).map(({ name }) => name))];
  let lacking = missing();
  if (lacking.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    aptGet(['update', '-qq']);
    aptGet(['install', '-y', '-qq', '--no-install-recommends', ...lacking]);
    lacking = missing();
  }
  if (lacking.length === 0) return undefined;
  const reason = `needs ${lacking.join(', ')} (apt-get install ${lacking.join(' ')})`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}

/** Makes sure of files that a Debian package has. Returns and throws as `needTools`. */
export const needFiles = (name: string, paths: readonly string[]): string | undefined =>
  needTools(paths.map((path) => `${name}:${path}`));

/** Why this process cannot make network namespaces, or undefined. With CI=true that is an error, never a skip. */
export function needRoot(): string | undefined {
  if (process.getuid?.() === 0) return undefined;
  if (process.env['CI'] === 'true') throw new Error('needs root');
  return 'needs root';
}

const LOCK_MS = 300_000;

/** Runs apt-get(8), after another one that runs now. Throws with what it said when it fails. */
export function aptGet(args: readonly string[], cwd = '.'): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  for (const until = performance.now() + LOCK_MS; ; spawnSync('sleep', ['1'])) {
    const { status, stderr } = spawnSync('apt-get', [...args], { cwd, env, encoding: 'utf8' });
    if (status === 0) return;
    const locked = /could not get lock|unable to lock|is another process using it/i.test(stderr);
    if (!locked || performance.now() > until) throw new Error(`apt-get ${args.join(' ')}: ${stderr.trim()}`);
  }
}
