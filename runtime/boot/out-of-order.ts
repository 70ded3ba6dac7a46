/** The HTTP server that runs while no image can be started: it responds to every request with the reason. */
import { once } from 'node:events';

/** A running server. */
export interface OutOfOrder {
  close(): Promise<void>;
}

/**
 * Responds 503 `no_image` with `detail` to every request. Resolves when it listens; rejects if the port cannot be used.
 */
export async function serveOutOfOrder(
  { host, port }: { readonly host: string; readonly port: number },
  detail: string,
): Promise<OutOfOrder> {
  // Loaded only when needed: it would make every start slower.
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
