/**
 * Begins each piece of work when the one before it has settled, however it did; settles as the work does. A piece that
 * does nothing settles when all before it have.
 */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** To be asked for in turn, where only the turn is wanted. */
export const NOTHING = async (): Promise<void> => {};
