/** The cloud that one hosts oneself, started for a test. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CloudOptions, createCloud } from '../../cloud/receiver.ts';
import { TOKEN } from './node.ts';

export async function startCloud(options: Partial<CloudOptions> = {}) {
  const server = createCloud({ token: TOKEN, ...options }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, headers: Record<string, string> = { Authorization: `Bearer ${TOKEN}` }) =>
    fetch(`${url}${path}`, { headers });
  return { url, get };
}

export function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(tmpdir(), 'tillnode-cloud-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}
