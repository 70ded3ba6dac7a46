/** Commands as they stand in the documents, and a bash that runs them against a twin on ports of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Block {
  readonly document: string;
  /** The heading that it stands under. */
  readonly section: string;
  readonly line: number;
  readonly text: string;
}

/** Every document that is in the tree. */
export const documents = (): string[] =>
  execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');

/** The fenced blocks of one language ('' where none is named), in order; those of a list stand further in. */
export function blocksOf(document: string, language: string): Block[] {
  const found: Block[] = [];
  const lines = readFileSync(document, 'utf8').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, named] = /^\s*```([\w-]*)\s*$/.exec(lines[at] ?? '') ?? [];
    if (named === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```');
    if (end < 0) throw new Error(`${document}:${at + 1}: the block has no end`);
    const text = lines.slice(at + 1, end).map((line) => line.trimStart());
    const heading = lines.slice(0, at).findLast((line) => /^#+ /.test(line)) ?? '';
    if (named === language)
      found.push({ document, section: heading.replace(/^#+ /, ''), line: at + 1, text: text.join('\n') });
    at = end;
  }
  return found;
}

/** Words of the shell's own language. */
const SHELL = /^(do|done|exit|export|if|then|until|while)$/;

/** The programs that these commands call: what stands where a command begins. */
export function programsIn(text: string): string[] {
  const plain = text
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/(^|\s)#.*$/gm, '')
    .replaceAll('\\\n', ' ');
  const found = [...plain.matchAll(/(?:^|[|;&]|\$\()\s*(?:(?:do|until|while)\s+)*([a-z][\w.-]*)(?![\w=])/gm)];
  return [...new Set(found.map(([, name = '']) => name))].filter((name) => !SHELL.test(name));
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A whole block in one bash, which ends at the first command that fails. */
export async function run(text: string, directory: string): Promise<Ran> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
