/** The program in one function: a loop for each server, until the signal is aborted. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer, type Server as Listener } from 'node:net';
import { join } from 'node:path';
import { NodeClient } from '../client/client.ts';
import { cloudprnt } from './cloudprnt.ts';
import { Journal } from './journal.ts';
import { leanFetch } from './lean-fetch.ts';
import { OptionError, type PullOptions, type ServerOptions } from './options.ts';
import { poll } from './poll.ts';
import { printerState } from './printing.ts';
import { sdp } from './sdp.ts';
import { Server } from './server.ts';

/** What the program tells. */
export interface Told {
  /** A line for the log. */
  readonly log: (line: string) => void;
  /** Each server was asked once. */
  readonly ready: () => void;
}

const VERSION = '1';

/** Asks, prints and reports until the signal is aborted. Rejects with an OptionError where the folder of the state cannot be used. */
export async function pull(options: PullOptions, { log, ready }: Told, signal: AbortSignal): Promise<void> {
  const { node, apiKey, state, servers } = options;
  const held = await holdFolder(state);
  const client = new NodeClient({ url: node, apiKey, fetch: leanFetch });
  const asked = new Set<ServerOptions>();
  try {
    await Promise.all(
      servers.map(async (each) => {
        const journal = new Journal(join(state, each.name));
        const server = new Server(each.ca, signal, VERSION);
        const say = (words: string) => log(`${each.name}: ${words}`);
        const printing = { ...each, client, signal, log: say };
        const parts = { ...each, url: each.server, state: () => printerState(printing), log: say };
        const protocol = (each.protocol === 'sdp' ? sdp : cloudprnt)(server, journal, parts);
        const onAsked = () => {
          if (asked.has(each)) return;
          asked.add(each);
          if (asked.size === servers.length) ready();
        };
        try {
          await poll(protocol, journal, { ...printing, onAsked });
        } finally {
          server.close();
          journal.close();
        }
      }),
    );
  } finally {
    held?.close();
  }
}

/** Makes the folder, and keeps a second program from it: a socket in the abstract namespace goes with its process (unix(7)). */
async function holdFolder(state: string): Promise<Listener | undefined> {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OptionError(`state: ${(error as Error).message}`);
  }
  if (process.platform !== 'linux') return undefined;
  const name = createHash('sha256').update(realpathSync(state)).digest('hex');
  const listener = createServer((socket) => socket.destroy()).unref();
  listener.listen(`\0tillnode-pull-${name}`);
  await once(listener, 'listening').catch(() => {
    throw new OptionError(`state: another program uses ${state}`);
  });
  return listener;
}
