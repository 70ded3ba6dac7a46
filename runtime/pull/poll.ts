/** The loop of one server: what is open is printed, what came of it is reported, then it is asked for more. */

import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../base/backoff.ts';
import { messageOf } from '../base/thrown.ts';
import type { Journal, PulledJob } from './journal.ts';
import { type PrintingOptions, printJob } from './printing.ts';
import { ServerFault } from './server.ts';

/** A protocol in which a server is asked for jobs. Its calls reject with a ServerFault, or with the reason of the signal. */
export interface Protocol {
  /** Tells the server what came of these jobs; each that it has is marked in the journal. */
  report(jobs: readonly PulledJob[]): Promise<void>;
  /**
   * Asks once. What it is given is in the journal when it resolves. Resolves with whether there may be more at once: not where it was
   * given nothing new that can be printed, as a server that gives the same again would be asked without end.
   */
  ask(): Promise<boolean>;
}

export interface PollOptions extends PrintingOptions {
  readonly everyMs: number;
  /** The server was asked for the first time, with an answer or without. */
  readonly onAsked: () => void;
  /** An answer was taken, or a job is over. */
  readonly tidy?: (() => void) | undefined;
}

const LONGEST_PAUSE_MS = 60_000;
/** Most results that a server has not taken: with as many it is asked for no more jobs. */
const MOST_UNREPORTED = 500;

/** Runs until the signal is aborted. Rejects only for a fault of this program. */
export async function poll(protocol: Protocol, journal: Journal, options: PollOptions): Promise<void> {
  const { signal, everyMs, onAsked, log, tidy } = options;
  let faults = 0;
  let lastFault = '';
  /** Prints what is open, and tells the server what came of it. */
  const settle = async (): Promise<ServerFault | undefined> => {
    let unwritten: { readonly error: unknown } | undefined;
    for (const job of journal.open()) {
      unwritten = await printJob(job, journal, options).then(
        () => undefined,
        (error) => ({ error }),
      );
      tidy?.();
      if (unwritten !== undefined) break;
    }
    if (signal.aborted) throw signal.reason;
    // Where the disk takes nothing, what came of the others is told all the same.
    const waiting = journal.unreported();
    const fault = waiting.length > 0 ? await protocol.report(waiting).then(() => undefined, faultOnly) : undefined;
    if (unwritten !== undefined) throw unwritten.error;
    if (fault !== undefined && waiting.length >= MOST_UNREPORTED) throw fault;
    return fault;
  };
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      let fault = await settle();
      const more = await protocol.ask();
      tidy?.();
      if (more) pauseMs = 0;
      // What cannot be printed, or was printed before, is told before it is asked again.
      else fault ??= await settle();
      if (fault !== undefined && !more) throw fault;
      if (faults > 0) log('the server answers again');
      faults = 0;
      lastFault = '';
    } catch (error) {
      if (signal.aborted) break;
      const words = messageOf(error);
      if (words !== lastFault) log(words);
      lastFault = words;
      faults += 1;
      pauseMs = Math.max(pauseAfter(faults, everyMs), error instanceof ServerFault ? error.waitMs : 0);
    }
    onAsked();
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

function faultOnly(error: unknown): ServerFault {
  if (error instanceof ServerFault) return error;
  throw error;
}

/** Twice as long after each fault, up to a minute, and half of it by chance: many clients of one server do not come together. */
const pauseAfter = (faults: number, everyMs: number): number =>
  backoff(faults, everyMs, Math.max(LONGEST_PAUSE_MS, everyMs)) * (0.5 + Math.random() / 2);
