/** Ends a listening server. */
import { once } from 'node:events';
import type { Server } from 'node:http';

/** Longest that requests under way have to end. */
const CLOSE_MS = 500;

/** Takes no new connections, lets requests under way end for half a second, then cuts them. Resolves when none is left. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(deadline);
}
