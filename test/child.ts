/** A program in a process of its own, which says on its standard output when it is ready; it is ended by its pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The first line of standard output with this word in front, without the word. */
  line(word: string): Promise<string>;
  end(): Promise<void>;
}

/**
 * A child starts as on a box, whatever this computer sets: a Node that has more certificates to read takes four times as
 * long before it runs a line, and what a bench compares with it would seem to cost little.
 */
const clean = () => ({ ...process.env, NODE_EXTRA_CA_CERTS: undefined, NODE_OPTIONS: undefined });

export function start(file: string, args: readonly string[] = [], command = process.execPath, env = {}): Child {
  const argv = command === process.execPath ? [file, ...args] : [...args];
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...clean(), ...env } });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const lines: string[] = [];
  const waiting: Array<{ word: string; give: (line: string) => void }> = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(text);
    for (const [index, { word, give }] of [...waiting.entries()].reverse()) {
      if (!text.startsWith(`${word} `)) continue;
      waiting.splice(index, 1);
      give(text.slice(word.length + 1));
    }
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    line: (word) => {
      const there = lines.find((text) => text.startsWith(`${word} `));
      if (there !== undefined) return Promise.resolve(there.slice(word.length + 1));
      return new Promise((give, fail) => {
        const ended = () => fail(new Error(`${file} ended with ${child.exitCode} before it said ${word}`));
        if (hasEnded()) ended();
        waiting.push({ word, give });
        child.once('exit', ended);
      });
    },
    end: async () => {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
