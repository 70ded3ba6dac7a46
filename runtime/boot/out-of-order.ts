/** What the node's port answers when no image can be started: why, in the envelope of every other refusal. */
import { once } from 'node:events';

export interface OutOfOrder {
  close(): Promise<void>;
}

export async function serveOutOfOrder(
  { host, port }: { readonly host: string; readonly port: number },
  detail: string,
): Promise<OutOfOrder> {
  // Loaded only for this: a start has no time for it.
  const { createServer } = await import('node:http');
  const body = JSON.stringify({ ok: false, error: 'no_image', detail });
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (request, response) => {
    request.resume();
    response
      .writeHead(503, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        Connection: 'close',
      })
      .end(body);
  });
  server.maxConnections = 16;
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
