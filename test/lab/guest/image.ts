/** The built image as a process in the guest, and its API as its clients see it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { until } from './gadget.ts';

const BASE = 'http://127.0.0.1:8080';
export const RAW_PORT = 9100;
const START_MS = 120_000;
/** The image answers on the processor it works on. */
const POLL_MS = 30;

/** The parts of GET /status that are looked at here. */
export interface Status {
  readonly printers: readonly {
    readonly known: boolean;
    readonly online: boolean;
    readonly paperOut: boolean;
    readonly coverOpen: boolean;
  }[];
  readonly peripherals: readonly {
    readonly endpoint: string;
    readonly condition: string;
    readonly device?: Readonly<Record<string, string>>;
    readonly knownBy?: string;
    readonly recipe?: { readonly id: string; readonly tier: string; readonly codec: string };
  }[];
  readonly rejections: readonly Readonly<Record<string, string>>[];
  readonly usb: { readonly state: string };
  readonly raw: { readonly pulsesDropped: number };
}

export interface Image {
  readonly pid: number;
  /** How it ended, once it has: a code or a signal. */
  ending(): string | undefined;
  stop(): Promise<number | null>;
}

const ON_LOOPBACK = ['--host', '127.0.0.1', '--port', '8080'];

/** Resolves once it listens. */
export function startImage(variant = 'wifi', options: readonly string[] = ON_LOOPBACK): Promise<Image> {
  const main = `dist/${variant}/main.cjs`;
  if (!existsSync(main)) throw new Error(`${main} is missing: npm run build -- --variant ${variant}`);
  return startNodeOf(main, options);
}

/** The last one; a story that broke off has left it with the ports that the next one needs. */
let started: ChildProcess | undefined;

/** The node that is this program; resolves once it listens. */
export async function startNodeOf(main: string, options: readonly string[]): Promise<Image> {
  const always = ['--raw-port', String(RAW_PORT), '--state', '/run/tillnode'];
  if (started?.exitCode === null && started.signalCode === null) {
    started.kill('SIGKILL');
    await once(started, 'exit');
  }
  const child = spawn(process.execPath, [main, ...options, ...always], { stdio: ['ignore', 'pipe', 'inherit'] });
  started = child;
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
  clearTimeout(timer);
  if (lines.length < 2) throw new Error(`the image did not start: ${lines.join(' / ')}`);
  return {
    pid: child.pid ?? 0,
    ending: () => (child.exitCode === null ? (child.signalCode ?? undefined) : `code ${child.exitCode}`),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0] as number | null;
    },
  };
}

/** A connection for each request: one that is kept may be closed by the image while the next is on its way. */
const headers = { connection: 'close' };

export const get = async <T>(path: string): Promise<T> => (await (await fetch(BASE + path, { headers })).json()) as T;
export const status = (): Promise<Status> => get('/status');

/** GET /status until it is as wanted. */
export const statusWhere = (
  wanted: (status: Status) => boolean,
  what: string,
  patienceMs?: number,
): Promise<Status> => {
  const look = async () => {
    const now = await status();
    return wanted(now) ? now : undefined;
  };
  return until(look, what, patienceMs, POLL_MS);
};

export const endpointIs = (endpoint: string, wanted: string, patienceMs?: number): Promise<Status> =>
  statusWhere(
    ({ peripherals }) => peripherals.some((each) => each.endpoint === endpoint && each.condition === wanted),
    `${endpoint} to be ${wanted}`,
    patienceMs,
  );

export interface Answer {
  readonly code: number;
  readonly result: Record<string, unknown>;
}

async function send(method: string, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(BASE + path, { method, headers, body: JSON.stringify(body) });
  return { code: response.status, result: (await response.json()) as Record<string, unknown> };
}

export const post = (path: string, body: unknown): Promise<Answer> => send('POST', path, body);
export const put = (path: string, body: unknown): Promise<Answer> => send('PUT', path, body);

/** What GET /events sends of one type, from the answer's head on until `close`. */
export async function listen(type: string): Promise<{ readonly events: Record<string, unknown>[]; close(): void }> {
  const stop = new AbortController();
  const { body } = await fetch(`${BASE}/events`, { signal: stop.signal });
  const events: Record<string, unknown>[] = [];
  const pump = async () => {
    let held = '';
    for await (const chunk of body ?? []) {
      const frames = (held + Buffer.from(chunk).toString()).split('\n\n');
      held = frames.pop() ?? '';
      for (const frame of frames) {
        if (frame.includes(`event: ${type}`)) events.push(JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}'));
      }
    }
  };
  pump().catch(() => {});
  return { events, close: () => stop.abort() };
}
