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

/** As `InTurn`, with a queue for each key. */
export type InTurnByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** New queues, by key. A queue whose work has settled is forgotten. */
export function createTurnsByKey(): InTurnByKey {
  const queues = new Map<string, { readonly inTurn: InTurn; length: number }>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { inTurn: createTurns(), length: 0 };
    queues.set(key, queue);
    queue.length += 1;
    try {
      return await queue.inTurn(work);
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(key);
    }
  };
}

/** Work that does nothing: queued in order to wait until all earlier work has settled. */
export const NOTHING = async (): Promise<void> => {};
