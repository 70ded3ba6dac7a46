/** A hosted till on this machine, which has no jobs. */
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface HostedTill {
  readonly port: number;
  /** What it was asked, in order. */
  readonly forms: readonly string[];
  /** Resolves when it is asked the next time. Rejects after `ms`. */
  isAsked(ms: number): Promise<void>;
  close(): void;
}

export async function hostedTill(): Promise<HostedTill> {
  const forms: string[] = [];
  const asked = new EventEmitter();
  const server = createServer(async (request, response) => {
    forms.push(await text(request));
    response.end();
    asked.emit('form');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    forms,
    isAsked: async (ms) => void (await once(asked, 'form', { signal: AbortSignal.timeout(ms) })),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
