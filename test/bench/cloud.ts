/** What a cloud that hangs on every call costs a print. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Entry } from './measure.ts';
import { startTwin } from './twin.ts';
import { isolated } from './webhook.ts';

export async function cloudBench(): Promise<Entry[]> {
  const held: Socket[] = [];
  const receiver = createServer((socket) => held.push(socket.on('error', () => {}).resume()));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const twins = [await startTwin(), await startTwin()] as const;
  const [clouded, plain] = twins;
  const composing = new AbortController();
  try {
    const node = `http://127.0.0.1:${clouded.port}`;
    const cloud = { url, token: 'a-token-of-the-usual-length', heartbeatSeconds: 10 };
    if (!(await fetch(`${node}/cloud`, { method: 'PUT', body: JSON.stringify(cloud) })).ok) throw new Error('no cloud');
    const sentence = JSON.stringify({ id: 'c1', endpoint: 'receipt', prompt: 'Back at noon' });
    void fetch(`${node}/compose`, { method: 'POST', body: sentence, signal: composing.signal }).catch(() => {});
    const p99 = await isolated(clouded.port, plain.port);
    if (held.length < 3) throw new Error(`only ${held.length} calls hang`);
    return [{ name: 'cloud.isolation', ratio: p99.ours / p99.theirs, ...p99, unit: 'ms' }];
  } finally {
    composing.abort();
    for (const { child } of twins) await child.end();
    for (const socket of held) socket.destroy();
    receiver.close();
  }
}
