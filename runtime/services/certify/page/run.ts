/** One certification in the page: the same tour as at the command line, with cards in the place of its terminal. */
import { certify } from '../../../certify/certify.ts';
import type { Question, Tour } from '../../../certify/tour.ts';
import { NodeClient } from '../../../client/client.ts';
import type { Certificate } from '../../../recipes/certificate.ts';
import { say } from './say.ts';

/** As long as the command line waits for something that a person has to do. */
const WAIT_MS = 300_000;

/** A question that waits for its answer. */
export interface QuestionAsked {
  readonly question: Question;
  answer(text: string): void;
}

/** What is to be seen of a run. It has ended where there is a certificate or a fault. */
export interface RunState {
  readonly asked?: QuestionAsked | undefined;
  /** The title of the step, and how many steps came before it. */
  readonly step: { readonly title: string; readonly n: number };
  /** Codes are read off the screen. */
  readonly showsCodes: boolean;
  readonly certificate?: Certificate;
  readonly fault?: unknown;
}

/** Which device, and whether the node was recording before. */
export interface Chosen {
  readonly tour: Tour;
  readonly endpoint: string;
  readonly recorded: boolean;
}

/** Begins at once; `changed` is called with every new state, the last with a certificate or a fault. */
export class CertifyRun {
  readonly #chosen: Chosen;
  readonly #changed: (state: RunState) => void;
  readonly #ending = new AbortController();
  #state: RunState = { step: { title: say('starting'), n: 0 }, showsCodes: false };

  constructor(chosen: Chosen, changed: (state: RunState) => void) {
    this.#chosen = chosen;
    this.#changed = changed;
    addEventListener('pagehide', this.#leave);
    void this.#run().then((result) => {
      removeEventListener('pagehide', this.#leave);
      this.#set({ ...result, asked: undefined });
    });
  }

  get state(): RunState {
    return this.#state;
  }

  /** Ends it without a certificate. */
  end(): void {
    this.#ending.abort(new Error(say('ended')));
  }

  async #run(): Promise<Pick<RunState, 'certificate' | 'fault'>> {
    const { tour, endpoint } = this.#chosen;
    try {
      const certificate = await certify({
        ...{ tour, endpoint, waitMs: WAIT_MS, signal: this.#ending.signal },
        client: new NodeClient({ url: '' }),
        host: {
          ask: (question, signal) => this.#ask(question, signal),
          step: (title) => this.#set({ step: { title, n: this.#state.step.n + 1 } }),
          show: async () => this.#set({ showsCodes: true }),
        },
      });
      return { certificate };
    } catch (fault) {
      return { fault };
    }
  }

  #ask(question: Question, signal: AbortSignal): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#set({ asked: { question, answer: resolve } });
    }).finally(() => {
      // The next question may stand there already.
      if (this.#state.asked?.question === question) this.#set({ asked: undefined });
    });
  }

  /** A page that goes away ends nothing any more: only a request that may outlive it reaches the node. */
  readonly #leave = (): void => {
    const body = JSON.stringify({ capture: false });
    if (!this.#chosen.recorded) void fetch('/config', { method: 'PUT', body, keepalive: true });
    this.end();
  };

  #set(change: Partial<RunState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed(this.#state);
  }
}
