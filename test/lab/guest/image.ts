/** The built image as a process in the guest, and its API as its clients see it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { until } from './gadget.ts';

const MAIN = 'dist/wifi/main.js';
const BASE = 'http://127.0.0.1:8080';
export const RAW_PORT = 9100;
const START_MS = 45_000;

/** The parts of GET /status that are looked at here. */
export interface Status {
  readonly printers: readonly { readonly known: boolean; readonly online: boolean; readonly coverOpen: boolean }[];
  readonly peripherals: readonly {
    readonly endpoint: string;
    readonly condition: string;
    readonly device?: Readonly<Record<string, string>>;
    readonly recipe?: { readonly id: string; readonly tier: string; readonly codec: string };
  }[];
  readonly rejections: readonly Readonly<Record<string, string>>[];
  readonly usb: { readonly state: string };
  readonly raw: { readonly pulsesDropped: number };
}

export interface Image {
  stop(): Promise<number | null>;
}

/** Resolves once it listens. */
export async function startImage(): Promise<Image> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: npm run build -- --variant wifi`);
  const ports = ['--host', '127.0.0.1', '--port', '8080', '--raw-port', String(RAW_PORT)];
  const child = spawn(process.execPath, [MAIN, ...ports, '--state', '/run/tillnode'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
  clearTimeout(timer);
  if (lines.length < 2) throw new Error(`the image did not start: ${lines.join(' / ')}`);
  return {
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0] as number | null;
    },
  };
}

export const status = async (): Promise<Status> => (await (await fetch(`${BASE}/status`)).json()) as Status;

/** GET /status until it is as wanted. */
export const statusWhere = (wanted: (status: Status) => boolean, what: string): Promise<Status> =>
  until(async () => {
    const now = await status();
    return wanted(now) ? now : undefined;
  }, what);

export async function post(path: string, body: unknown): Promise<{ code: number; result: Record<string, unknown> }> {
  const response = await fetch(BASE + path, { method: 'POST', body: JSON.stringify(body) });
  return { code: response.status, result: (await response.json()) as Record<string, unknown> };
}
