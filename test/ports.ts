/** Ports that a test gives up and takes again, or hands to a program that it starts. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below what the kernel gives to clients (ip(7): ip_local_port_range, 32,768 to 60,999): a connection of another test that ends
 * nowhere near this one would hold such a port for as long as it is open.
 */
const FIRST = 12_000;
const LAST = 32_000;
/** Each worker of Vitest has its own of these: no two of them come upon the same port between looking and listening. */
const EACH = 2000;

/** A TCP port of 127.0.0.1 that nobody listens on, and that no client is given; UDP's of that number is as good as free, too. */
export async function freePort(): Promise<number> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % ((LAST - FIRST) / EACH);
  const port = FIRST + worker * EACH + Math.floor(Math.random() * EACH);
  return (await listensOn(port)) ? port : freePort();
}

/** Whether a program of this computer can listen on this port of 127.0.0.1 now. */
export async function listensOn(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
