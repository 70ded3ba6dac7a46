/** The program in one function: a loop for each server, until the signal is aborted. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lock } from '../base/folder-lock.ts';
import { makeFolder } from '../base/make-folder.ts';
import { messageOf } from '../base/thrown.ts';
import { NodeClient } from '../client/client.ts';
import { Authentication } from './authentication.ts';
import { cloudprnt } from './cloudprnt.ts';
import { Journal } from './journal.ts';
import { leanFetch } from './lean-fetch.ts';
import { LongAnswer } from './long-answer.ts';
import type { PullOptions, ServerOptions } from './options.ts';
import { poll } from './poll.ts';
import { printerState } from './printing.ts';
import { sdp } from './sdp.ts';
import { Server } from './server.ts';
import type { Tidier } from './tidy.ts';

/** What the program tells, and what gives memory back. */
export interface Told extends Partial<Tidier> {
  /** A line for the log. */
  readonly log: (line: string) => void;
  /** Each server was asked once. */
  readonly ready: () => void;
}

const VERSION = '1';

/** The folder of the state cannot be used now; the message says why. Another time it may be. */
export class StateError extends Error {}

/** Asks, prints and reports until the signal is aborted. Rejects with a StateError. */
export async function pull(options: PullOptions, { log, ready, tidy, read }: Told, signal: AbortSignal): Promise<void> {
  const { node, apiKey, state, servers } = options;
  const giveBack = await holdFolder(state);
  const client = new NodeClient({ url: node, apiKey, fetch: leanFetch });
  const asked = new Set<ServerOptions>();
  const passed = () => {
    read?.();
    tidy?.();
  };
  try {
    // All of them before the first server is asked.
    const journals = servers.map((each) => ({ each, ...journalIn(join(state, folderOf(each))) }));
    for (const left of strangersIn(state, journals))
      log(`${left}: the state of a server that is not asked now; it is kept, and nothing of it is printed or reported`);
    await Promise.all(
      journals.map(async ({ each, folder, journal }) => {
        const long = new LongAnswer(folder, journal, passed);
        const say = (words: string) => log(`${each.name}: ${words}`);
        if (journal.unread > 0) say(`${journal.unread} bytes of ${folder} ${UNREAD}`);
        const { origin, protocol: scheme } = each.server;
        const { credentials } = each;
        // As printers of Star do; those of Epson answer to a Digest alone.
        const eager = each.protocol === 'cloudprnt' && scheme === 'https:';
        const authentication = new Authentication({ origin, credentials, eager, log: say });
        const server = new Server(each.ca, signal, VERSION, authentication, read);
        const printing = { ...each, client, signal, log: say };
        const parts = { ...each, url: each.server, long, state: () => printerState(printing), log: say };
        const protocol = (each.protocol === 'sdp' ? sdp : cloudprnt)(server, journal, parts);
        const onAsked = () => {
          if (asked.has(each)) return;
          asked.add(each);
          if (asked.size === servers.length) ready();
        };
        try {
          await poll(protocol, journal, { ...printing, onAsked, tidy });
        } finally {
          server.close();
          await long.close();
          journal.close();
        }
      }),
    );
  } finally {
    giveBack();
  }
}

/** Said of a journal: what a crash cut off was not acted on, what a disk lost may have been. */
const UNREAD =
  'cannot be read: a receipt that was taken there is neither printed nor reported, where the file was damaged';

/** Makes the folder, and keeps a second program from it. Resolves with what gives it back. */
async function holdFolder(state: string): Promise<() => void> {
  try {
    makeFolder(state, 0o700);
    return await lock(state);
  } catch (error) {
    throw new StateError(`state: ${messageOf(error)}`);
  }
}

/**
 * The folder of a server: of its URL, protocol and id, as jobs and results belong to it, whatever its name and place in the file. The host
 * is for people; the rest of the URL may be a secret.
 */
export function folderOf({ server, protocol, id }: Pick<ServerOptions, 'server' | 'protocol' | 'id'>): string {
  const mark = createHash('sha256')
    .update(JSON.stringify([protocol, server.href, id]))
    .digest('hex')
    .slice(0, 32);
  return `${server.hostname.replace(/[^\w.-]/g, '').slice(0, 64)}-${mark}`;
}

/** Folders of journals in the state that are none of these. */
const strangersIn = (state: string, known: readonly { readonly folder: string }[]): string[] =>
  readdirSync(state)
    .map((name) => join(state, name))
    .filter((each) => Journal.isIn(each) && !known.some(({ folder }) => folder === each));

function journalIn(folder: string): { readonly folder: string; readonly journal: Journal } {
  try {
    return { folder, journal: new Journal(folder) };
  } catch (error) {
    throw new StateError(`state: ${messageOf(error)}`);
  }
}
