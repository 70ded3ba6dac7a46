/** What is reported once a minute, as it comes as often as somebody likes. */
import { Away } from '../database/database.ts';

/** What a stranger brings about, as often as he likes. `what`: the same for all of it, whatever he sent. */
export class Provoked extends Error {
  readonly what: string;
  constructor(what: string, detail: string) {
    super(`${what}: ${detail}`);
    this.what = what;
  }
}

const TOLD_MS = 60_000;

/**
 * Reports a database or a bucket that stays away, and what strangers bring about, once a minute: a line for each refused message would fill
 * what room there is.
 */
export function sparing(report: (error: Error) => void, clock = () => performance.now()): (error: Error) => void {
  const told = new Map<string, number>();
  return (error) => {
    const now = clock();
    const what = error instanceof Provoked ? error.what : error instanceof Away ? error.message : undefined;
    if (what !== undefined) {
      if (now - (told.get(what) ?? Number.NEGATIVE_INFINITY) < TOLD_MS) return;
      for (const [each, at] of told) if (now - at >= TOLD_MS) told.delete(each);
      told.set(what, now);
    }
    report(error);
  };
}
