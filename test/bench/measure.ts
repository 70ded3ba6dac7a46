/** What every bench is made of: one entry a bar, medians of alternating runs, memory of processes, requests as fast as they are taken. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

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
