/** System programs that some suites need: installed where this process may, named where it may not. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const has = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/**
 * Makes sure of commands, by the Debian package of each (`package` or `package:command`). Returns what is missing
 * and why, or undefined. With CI=true a missing tool is an error, never a skip.
 */
export function needTools(wanted: readonly string[]): string | undefined {
  const tools = wanted.map((entry) => {
    const [name = entry, command = name] = entry.split(':');
    return { name, command };
  });
  const missing = () => tools.filter(({ command }) => !has(command)).map(({ name }) => name);
  let lacking = missing();
  if (lacking.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...lacking], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    lacking = missing();
  }
  if (lacking.length === 0) return undefined;
  const reason = `needs ${lacking.join(', ')} (apt-get install ${lacking.join(' ')})`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}
