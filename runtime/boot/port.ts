/** Finds out whether a TCP port is free, and which program has it if not. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** The first of the ports that another program listens on; undefined if all are free. 0 asks for any free port. */
export async function firstTaken(host: string, ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) if (port !== 0 && (await isTaken(host, port))) return port;
  return undefined;
}

/** Whether listening fails with EADDRINUSE. Other errors count as free: see `hopeless`. */
export const isTaken = async (host: string, port: number): Promise<boolean> =>
  (await fault(host, port)) === 'EADDRINUSE';

/** Errors of listening that stay however often it is tried (bind(2), getaddrinfo(3)); a name server may come back. */
const HOPELESS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'is not an address of this machine',
  EAFNOSUPPORT: 'is an address of a family that this machine does not have',
  EINVAL: 'cannot be listened on',
  ENOTFOUND: 'is not a name of this machine',
  EACCES: 'may not be listened on by this user',
};

/** Why one of the ports can never be listened on, in words; undefined if none is known to. */
export async function hopeless(host: string, ports: readonly number[]): Promise<string | undefined> {
  for (const port of ports) {
    const code = (await fault(host, port)) ?? '';
    const why = HOPELESS[code];
    if (why !== undefined) return `${code === 'EACCES' ? `port ${port}` : `--host ${host}`} ${why} (${code})`;
  }
  return undefined;
}

/** The code of the error with which listening fails; undefined if it does not. */
function fault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** State of a listening socket (include/net/tcp_states.h). */
const LISTEN = '0A';

/** The process that listens on a port, as text: its id and command, or its user id; undefined if unknown. */
export function holderOf(port: number): string | undefined {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  // proc_pid_net(5): local address in the second column, state in the fourth, then user in the eighth, inode in the
  // tenth.
  const listening = ['tcp', 'tcp6']
    .flatMap((name) => textOf(`/proc/net/${name}`).split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .find((columns) => columns[1]?.endsWith(hex) && columns[3] === LISTEN);
  if (listening === undefined) return undefined;
  const [user, inode] = [listening[7], listening[9]];
  const pid = namesIn('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, `socket:[${inode}]`));
  return pid === undefined ? `a process of user ${user}` : `process ${pid} (${textOf(`/proc/${pid}/comm`).trim()})`;
}

const hasSocket = (pid: string, socket: string): boolean =>
  namesIn(`/proc/${pid}/fd`).some((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === socket);

const namesIn = (directory: string): string[] => attempt(() => readdirSync(directory)) ?? [];
const textOf = (path: string): string => attempt(() => readFileSync(path, 'utf8')) ?? '';

/** What `look` returns; undefined if it throws, as the process may have ended or belong to another user. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
