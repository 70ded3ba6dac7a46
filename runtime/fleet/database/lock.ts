/** One process at a time on a folder: PostgreSQL in the process does not see another one. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { relative, resolve } from 'node:path';

/**
 * Takes the folder for this process; resolves with what gives it back. Rejects if a running process has it. The lock is
 * a Unix socket beside the folder: whoever is killed no longer answers on it.
 */
export async function lock(folder: string): Promise<() => void> {
  const absolute = `${resolve(folder)}.lock`;
  const fromHere = relative('.', absolute);
  // A path of a socket is at most 107 bytes.
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  if (await answers(path)) throw new Error(`another process has ${folder} open`);
  rmSync(path, { force: true });
  const server = createServer((socket) => socket.destroy()).listen(path);
  await once(server, 'listening');
  server.unref();
  return () => void server.close();
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
