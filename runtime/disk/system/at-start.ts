/**
 * What `tillnode.txt` has printed at each start (`start.print`): one print by the API of the node, with a key that the whole
 * start has. However often it is sent, it comes out once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../base/thrown.ts';
import { isHeldPrinter } from './trial.ts';

/** What is printed at each start: the content of the file that is kept of `tillnode.txt`. */
export interface StartJob {
  readonly text: string;
  /** The API key, as the same file has it. */
  readonly key?: string | undefined;
}

/** How long it is tried, and how long one answer may take; `pauseMs`: between two questions. */
export interface StartPatience {
  readonly patienceMs: number;
  readonly timeoutMs: number;
  readonly pauseMs: number;
}

interface Status {
  readonly peripherals: readonly { readonly endpoint: string; readonly kind: string; readonly condition: string }[];
  readonly printers: readonly {
    readonly endpoint: string;
    readonly online: boolean;
    readonly paperOut: boolean;
    readonly coverOpen: boolean;
  }[];
}

/** The first printer of the node, where the node has it and it does not say that it cannot print. */
function readyIn({ peripherals, printers }: Status): string | undefined {
  const first = peripherals.find(({ kind }) => kind === 'printer');
  if (first === undefined || !isHeldPrinter(first)) return undefined;
  const state = printers.find(({ endpoint }) => endpoint === first.endpoint);
  const cannot = state !== undefined && (!state.online || state.paperOut || state.coverOpen);
  return cannot ? undefined : first.endpoint;
}

/**
 * Prints the job on the node at `url`, once in the start that `start` names. Resolves with why it was left out, or undefined
 * when it is printed. It waits for the node and its printer as long as it is told to; a job that comes later would
 * stand among receipts. What got no answer is sent again with the same key; what was refused is not.
 */
export async function printAtStart(
  { text, key }: StartJob,
  url: string,
  start: string,
  { patienceMs, timeoutMs, pauseMs }: StartPatience,
): Promise<string | undefined> {
  const id = `start-${start}`;
  const until = performance.now() + patienceMs;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(timeoutMs) });
  let why = 'the node did not answer';
  for (; performance.now() < until; await delay(pauseMs)) {
    try {
      const endpoint = readyIn((await (await ask('/status')).json()) as Status);
      if (endpoint === undefined) {
        why = 'no printer was ready';
        continue;
      }
      const response = await ask('/print', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': id,
          ...(key !== undefined && { 'X-NODE-Api-Key': key }),
        },
        body: JSON.stringify({ type: 'print', id, endpoint, lines: [{ type: 'text', value: text }, { type: 'cut' }] }),
      });
      if (response.ok) return undefined;
      why = `${response.status} ${await response.text()}`;
      // What was sent before may wait for its turn.
      if (response.status < 500 && !why.includes('"key_in_use"')) return why;
    } catch (error) {
      why = messageOf(error);
    }
  }
  return why;
}
