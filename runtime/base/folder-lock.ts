/**
 * One process at a time on a folder. Whoever holds it listens on a Unix socket of its own, and says on it who it is: a process
 * that was killed no longer answers, in whichever container it ran, and its process id means nothing.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Refused } from './refused.ts';

/** Two that start at the same moment see each other, step back, and try again after up to this time. */
const STEP_BACK_MS = 50;
const TRIES = 10;
/** A holder that does not answer in this time has stopped, or is busy; it may go on. */
const ANSWER_MS = 1000;
/** A longer path of a socket is cut off without an error (`sun_path`, unix(7)). */
const PATH_BYTES = 107;
/** Behind the name that all have. */
const RANDOM_BYTES = 4;

/**
 * Takes a folder for this process; resolves with what gives it back. `sockets`: what the names of the sockets begin with,
 * where the folder itself is to hold none. Rejects with a Refused that names the process that has it. A folder that takes no
 * socket has nothing to lose: it is not locked.
 */
export async function lock(folder: string, sockets = join(folder, 'lock')): Promise<() => void> {
  const path = resolve(sockets);
  let directory: number;
  try {
    directory = openSync(dirname(path), 'r');
  } catch {
    return () => {};
  }
  const isLong = Buffer.byteLength(path) + 1 + 2 * RANDOM_BYTES > PATH_BYTES;
  const reach = isLong ? `/proc/self/fd/${directory}` : dirname(path);
  try {
    for (let tries = 1; ; tries++) {
      const taken = await attempt(path, reach);
      if (typeof taken === 'function') return taken;
      if (taken !== '' || tries === TRIES)
        throw new Refused(`another process has ${folder}: ${taken || 'one that is starting'}`);
      await delay(Math.random() * STEP_BACK_MS);
    }
  } finally {
    closeSync(directory);
  }
}

/**
 * Listens first and looks around then: of two, at least one sees the other. Gives what gives the lock back, or who has it; ''
 * where none has it yet. `reach`: the folder of the sockets, in a path that is short enough.
 */
async function attempt(path: string, reach: string): Promise<(() => void) | string> {
  const [directory, name] = [dirname(path), basename(path)];
  const own = `${name}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
  let me = '';
  const server = createServer((socket) => socket.on('error', () => {}).end(me));
  try {
    server.listen({ path: join(reach, own), readableAll: true, writableAll: true });
    await once(server, 'listening');
  } catch {
    return () => {};
  }
  server.unref();
  const giveBack = () => {
    server.close();
    remove(join(directory, own));
  };
  let holder: string | undefined;
  for (const other of readdirSync(directory)) {
    if (other === own || !other.startsWith(`${name}-`) || !/-[0-9a-f]{8}$/.test(other)) continue;
    holder = (await answerOf(join(directory, other), join(reach, other))) ?? holder;
    if (holder) break;
  }
  // Another one may have looked before this one listened, and cleared its socket away.
  if (holder === undefined && existsSync(join(directory, own))) {
    me = `process ${process.pid} on ${hostname()}`;
    return giveBack;
  }
  giveBack();
  return holder ?? '';
}

/** Undefined from one that was killed, whose socket is deleted; '' from one that does not hold the folder yet. */
async function answerOf(path: string, reach: string): Promise<string | undefined> {
  const socket = connect({ path: reach, timeout: ANSWER_MS });
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'end');
    return said;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ECONNREFUSED' && code !== 'ENOENT') return 'one that does not answer';
    remove(path);
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** What cannot be deleted does no harm: nobody answers on it. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
