/** What a node needs of its machine before it starts, and what cannot get better by trying again. */
import { makeDirectory } from '../base/durable.ts';
import { lock } from '../base/folder-lock.ts';
import { Refused } from '../base/refused.ts';
import { hopeless } from './port.ts';

/** Exit code for what the one who started it has to change. */
export const EX_REFUSED = 2;

/** What is looked at. */
export interface Needs {
  /** State folder of the node. */
  readonly state: string;
  readonly host: string;
  readonly ports: readonly number[];
}

/**
 * Makes the state folder, and holds it until the process ends. Rejects with a Refused, of one line, where another process has
 * it, or where a port can never be listened on. A folder that cannot be made is no reason not to print.
 */
export async function hold({ state, host, ports }: Needs): Promise<void> {
  await makeDirectory(state).catch(() => {});
  const giveBack = await lock(state);
  // A folder that is copied or packed has no socket of a node that has ended.
  process.once('exit', giveBack);
  const why = await hopeless(host, ports);
  if (why !== undefined) throw new Refused(why);
}
