/** One watch for all who watch the same: each program that reports changes is a process, and takes memory. */

/** Begins to watch; returns what ends it. `changed` is called after each change. */
export type Watch = (changed: () => void) => () => void;

/** The same watch, which begins with the first who watches and ends with the last. */
export function sharedWatch(watch: Watch): Watch {
  const watching = new Set<() => void>();
  let end = () => {};
  return (changed) => {
    // Who watches twice is told twice.
    const told = () => changed();
    watching.add(told);
    if (watching.size === 1)
      end = watch(() => {
        for (const each of watching) each();
      });
    return () => {
      if (watching.delete(told) && watching.size === 0) end();
    };
  };
}
