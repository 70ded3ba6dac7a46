/** What every bench is made of: one entry a bar, medians of alternating runs, children started and ended by pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Entry {
  readonly name: string;
  readonly ratio: number;
  readonly ours: number;
  readonly theirs: number;
  readonly unit: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

export const percentile = (values: readonly number[], p: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? 0;
};

/** Runs both sides in turn, `rounds` times, and compares the medians. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ours: number; theirs: number }> {
  const a: number[] = [];
  const b: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    a.push(await ours());
    b.push(await theirs());
  }
  return { ours: median(a), theirs: median(b) };
}

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The first line of standard output with this word in front, without the word. */
  line(word: string): Promise<string>;
  end(): Promise<void>;
}

/**
 * Both sides start as on a box, whatever this computer sets: a Node that has more certificates to read takes four times as
 * long before it runs a line, and all that is compared with it seems to cost little.
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

/** Resident bytes of a process. */
export const rssOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Requests a second of one keep-alive request repeated over a few connections: a client leaner than any server. */
export async function requestsPerSecond(
  port: number,
  request: Buffer,
  total: number,
  connections = 8,
): Promise<number> {
  let left = total;
  const started = performance.now();
  const drive = async () => {
    const socket = await open(port);
    let held = '';
    const send = () => {
      if (left <= 0) socket.end();
      else {
        left -= 1;
        socket.write(request);
      }
    };
    socket.on('data', (chunk) => {
      held += chunk.toString('latin1');
      const head = held.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(held)?.[1] ?? 0);
      if (held.length < head + 4 + length) return;
      if (!held.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${held.slice(0, 200)}`);
      held = '';
      send();
    });
    send();
    await once(socket, 'close');
  };
  await Promise.all(Array.from({ length: connections }, drive));
  return total / ((performance.now() - started) / 1000);
}

export const post = (path: string, body: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
