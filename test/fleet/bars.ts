/** The bar that neighbours are held to: nearly all heartbeats are answered within a second, beside whoever else is there. */
import { setTimeout as pause } from 'node:timers/promises';
import { othersBetween, spentBy } from './beside/machine.ts';
import type { Outcome } from './good-nodes.ts';

/** The part of the heartbeats that were sent which is to be answered, and to be so within a second. */
export const SHARE = 0.999;
/** The part of the time of the processors that others may have of a machine which is quiet. */
const OTHERS = 0.1;
/** In ms: how long each neighbour stays, how long nobody is beside before and after him, and what he leaves behind may take before that. */
export interface Times {
  readonly stay: number;
  readonly control: number;
  readonly settle: number;
}

/** The part of nodes that says what came of their heartbeats since the last time. */
interface Looked {
  look(): Promise<Outcome>;
}

/** A neighbour that has come; resolves when he is gone. */
export type Leave = () => Promise<unknown>;

/**
 * Measures neighbours one after the other, each between two times in which nobody is there. Where he keeps heartbeats from their second, it is
 * his doing; but where they were late without him as well, or other programs took a part of the processors, the machine was not quiet, and he
 * comes once more.
 */
export class Bars {
  /** Beside whom too few were answered at all, whatever the machine had to do; and too few within a second. */
  readonly unanswered: string[] = [];
  readonly late: string[] = [];
  /** Neighbours of whom nothing is known, as the machine was not quiet either time. */
  readonly unknown: string[] = [];
  readonly #good: Looked;
  readonly #say: (line: string) => void;
  readonly #times: Times;
  readonly #others: () => () => number;
  #isQuiet: boolean | undefined;

  /** `say`: is told a line for each; `others`: begins to look at what others have of the processors, and gives what says it. */
  constructor(good: Looked, times: Times, say: (line: string) => void, others = beginOthers) {
    this.#good = good;
    this.#others = others;
    this.#times = times;
    this.#say = say;
  }

  /** Lets a neighbour come, and stay. `beginMs`: after which time he counts. */
  async measure(what: string, come: () => Promise<Leave>, beginMs = 0): Promise<void> {
    this.#isQuiet ??= await this.#control();
    for (const time of ['', ', again']) {
      const before = this.#isQuiet;
      const leave = await come();
      if (beginMs > 0) {
        await pause(beginMs);
        await this.#good.look();
      }
      const others = this.#others();
      await pause(this.#times.stay);
      const outcome = await this.#good.look();
      const share = others();
      await leave();
      await pause(this.#times.settle);
      await this.#good.look();
      this.#isQuiet = await this.#control();
      const isQuiet = before && this.#isQuiet && share <= OTHERS;
      const said = isQuiet ? '' : `; the machine was not quiet: others had ${Math.round(100 * share)} % of it`;
      this.#say(`${what}${time}: ${told(outcome)}${said}`);
      if (outcome.answered < SHARE * outcome.sent) return void this.unanswered.push(what);
      if (isPrompt(outcome)) return;
      if (isQuiet) return void this.late.push(what);
    }
    this.unknown.push(what);
  }

  async #control(): Promise<boolean> {
    await pause(this.#times.control);
    const outcome = await this.#good.look();
    if (!isPrompt(outcome)) this.#say(`nobody: ${told(outcome)}`);
    return isPrompt(outcome);
  }
}

const beginOthers = () => {
  const before = spentBy();
  return () => othersBetween(before, spentBy());
};
const isPrompt = ({ prompt, sent }: Outcome): boolean => prompt >= SHARE * sent;
const told = ({ sent, answered, prompt, p99Ms }: Outcome): string => {
  const percent = (part: number) => `${((100 * part) / sent).toFixed(2)} %`;
  return `${sent} sent, ${percent(answered)} answered, ${percent(prompt)} within 1 s, p99 ${p99Ms} ms`;
};
