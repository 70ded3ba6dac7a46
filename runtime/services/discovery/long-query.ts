/** Queries whose known answers need several packets: the others follow within 400 to 500 ms (RFC 6762, 7.2). */
import type { Answer } from 'dns-packet';
import type { Message, Question } from './packet.ts';

const WAIT_MS = 400;
const WAIT_SPREAD_MS = 100;
const MAX_WAITING = 16;
const MAX_KNOWN = 512;

interface Waiting {
  readonly questions: readonly Question[];
  known: readonly Answer[];
  readonly timer: NodeJS.Timeout;
}

/** Collects truncated queries, at most 16 at a time. */
export class LongQueries {
  readonly #waiting = new Map<string, Waiting>();

  /**
   * Takes a query from `from` (source and link). True if it is truncated or continues one: `respond` is then called
   * later with all known answers. False: answer it now.
   */
  take(
    from: string,
    { truncated, questions, answers }: Message,
    respond: (questions: readonly Question[], known: readonly Answer[]) => void,
  ): boolean {
    const begun = this.#waiting.get(from);
    if (begun !== undefined && questions.length === 0) {
      begun.known = [...begun.known, ...answers].slice(0, MAX_KNOWN);
      return true;
    }
    if (!truncated || begun !== undefined || this.#waiting.size >= MAX_WAITING) return false;
    const timer = setTimeout(
      () => {
        const { known } = this.#waiting.get(from) ?? { known: [] };
        this.#waiting.delete(from);
        respond(questions, known);
      },
      WAIT_MS + Math.random() * WAIT_SPREAD_MS,
    );
    this.#waiting.set(from, { questions, known: answers, timer });
    return true;
  }

  clear(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}
