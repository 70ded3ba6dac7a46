/** Queries whose known answers do not fit one packet: the rest follows within half a second (RFC 6762, 7.2). */
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

export class LongQueries {
  readonly #waiting = new Map<string, Waiting>();

  /** True where the message is kept: `respond` is called with the whole of it later. */
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
