/** A network between tills and a node, to be cut: every connection that there is ends at once, on both sides. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Cable {
  readonly url: string;
  /** Connections made later are whole. */
  cut(): void;
  close(): void;
}

/** One that leads to a port of the loopback. */
export async function startCable(to: number): Promise<Cable> {
  const open = new Set<Socket>();
  const keep = (socket: Socket, other: () => Socket) => {
    open.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket);
        other().destroy();
      });
  };
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    keep(near, () => far);
    keep(far, () => near);
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: () => {
      cut();
      server.close();
    },
  };
}
