/** Ports that a test gives up and takes again, or hands to a program that it starts. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below what the kernel gives to clients (ip(7): ip_local_port_range, 32,768 to 60,999): a connection of another test that ends
 * nowhere near this one would hold such a port for as long as it is open.
 */
const FIRST = 12_000;
const LAST = 32_000;

/** Names of abstract sockets (unix(7)), which are gone with the process at the latest: of the ports that were given out last. */
const held: Server[] = [];
const MOST_HELD = 256;

/** A TCP port of 127.0.0.1 that nobody listens on, and that no client and no other test is given; UDP's of that number is free, too. */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  return (await isForUs(port)) && (await listensOn(port)) ? port : freePort();
}

/** Takes the name of a port among all tests that run on this computer; false where another one has it. */
async function isForUs(port: number): Promise<boolean> {
  // Elsewhere there are no such names.
  if (process.platform !== 'linux') return true;
  const name = createServer().listen(`\0tillnode-test-port-${port}`).unref();
  try {
    await once(name, 'listening');
  } catch {
    return false;
  }
  if (held.push(name) > MOST_HELD) held.shift()?.close();
  return true;
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
