/** Parts of some work that do not wait for each other to succeed. */
import { messageOf } from './thrown.ts';

/**
 * Does one after the other, whatever becomes of those before it. Rejects at the end where one has: with its error, or with an
 * AggregateError of all, whose message has each of theirs once.
 */
export async function eachTried(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 1) throw new AggregateError(faults, [...new Set(faults.map(messageOf))].join('; '));
  if (faults.length === 1) throw faults[0];
}
