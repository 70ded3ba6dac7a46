/** Many connections that say one thing and then wait. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RunningFleet } from './fleet.ts';

/** Opens so many connections that send this and nothing more; what was answered, how many are still open, and what closes them. */
export async function silent(fleet: Pick<RunningFleet, 'url'>, many: number, sent: string | Buffer) {
  const { port } = new URL(fleet.url);
  const sockets: Socket[] = [];
  const said: string[] = [];
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(
    Array.from({ length: many }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {}).on('data', (chunk) => said.push(chunk.toString().slice(9, 12)));
      await once(socket, 'connect');
      if (sent.length > 0) socket.write(sent);
    }),
  );
  const leave = () => sockets.forEach((socket) => void socket.destroy());
  return { said, leave, open: () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length };
}
