/** Whether this process is open: it comes to its own door, as a node does, and waits behind whoever else does. */
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { ProcessTrouble } from './trouble.ts';

/** How often it comes; one after the other. */
const EVERY_MS = 1000;
/** As long as a message may wait. */
const SLOW_MS = 5000;

/**
 * Connects to this server each second, until that is closed. While it is not let in for longer than messages may wait, nodes are not,
 * either, and nothing is heard of them: that is trouble.
 */
export function watchDoor(server: Server, trouble: Pick<ProcessTrouble, 'note'>): void {
  let own: Socket | undefined;
  let since: number | undefined;
  const come = () => {
    const { address, port } = server.address() as AddressInfo;
    const socket = connect(port, HERE.get(address) ?? address);
    // One that failed is followed by another, which goes on waiting.
    socket
      .once('error', () => {})
      .once('close', () => {
        if (own === socket) own = undefined;
      });
    own = socket;
    since ??= performance.now();
  };
  server.on('connection', (guest: Socket) => {
    if (own === undefined || guest.remotePort !== own.localPort) return;
    guest.destroy();
    own.destroy();
    own = undefined;
    since = undefined;
  });
  const look = setInterval(() => {
    if (!server.listening) return;
    if (own === undefined) come();
    if (since !== undefined && performance.now() - since > SLOW_MS) trouble.note();
  }, EVERY_MS).unref();
  server.once('close', () => {
    clearInterval(look);
    own?.destroy();
  });
}

/** Where a server is reached on its machine that listens on all addresses. */
const HERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
