/** A program outside of this tree: a folder of its own that has the npm package, and tools from the registry around it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installed, QUIET } from '../installed.ts';

/** The folder of the tools. */
const tools = (): string => installed('test/assembly/outside', resolve('.cache/outside'));

export interface Outside {
  readonly folder: string;
  /** Writes a file of the program. */
  write(name: string, text: string): void;
  /** Runs a command in it; its output. Throws with what it said when it fails. */
  run(command: string, ...args: readonly string[]): string;
  remove(): void;
}

/** As its author does it: `npm init`, `npm install`. Offline: the package needs no other. */
export function createOutside(tarball: string, type: 'commonjs' | 'module', { withTools = false } = {}): Outside {
  const parent = mkdtempSync(join(tmpdir(), 'tillnode-outside-'));
  const folder = join(parent, 'program');
  mkdirSync(folder);
  if (withTools) symlinkSync(tools(), join(parent, 'node_modules'));
  const outside: Outside = {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    run(command, ...args) {
      const env = { ...process.env, PATH: `${join(parent, 'node_modules/.bin')}:${process.env['PATH']}` };
      try {
        return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
        throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
      }
    },
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
  outside.write('package.json', JSON.stringify({ name: 'program', version: '1.0.0', type }));
  outside.run('npm', 'install', '--offline', ...QUIET, tarball);
  return outside;
}

/** The npm package of what was built. */
export function pack(): {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly bytes: number;
} {
  const folder = resolve('.cache/npm');
  mkdirSync(folder, { recursive: true });
  const options = ['--json', '--silent', '--pack-destination', folder];
  const [about] = JSON.parse(execFileSync('npm', ['pack', ...options], { encoding: 'utf8', stdio: 'pipe' })) as [
    { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] },
  ];
  return { tarball: join(folder, about.filename), files: about.files.map(({ path }) => path), bytes: about.size };
}
