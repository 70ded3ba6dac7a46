/**
 * Queues asynchronous work: starts it when all work queued before has settled, also rejected; settles as the work does.
 */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A new queue that runs one piece of work at a time. It has no bound: the caller limits how much is queued. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** Work that does nothing: queued in order to wait until all earlier work has settled. */
export const NOTHING = async (): Promise<void> => {};
