/** The host name: probed, announced, defended, and changed if another host has it (RFC 6762, 8 and 9). */
import { Brake, type Conflict, DEFER_MS } from './conflict.ts';

const PROBES = 3;
const PROBE_MS = 250;
const REPEAT_MS = 1000;

/** What the host name asks to be sent. */
export interface HostSteps {
  probe(): void;
  /** The name was claimed. `again`: the repetition one second later (8.3). */
  announce(again: boolean): void;
}

/** The state machine of the host name. A claimed name is "held". */
export class HostName {
  readonly #label: string;
  readonly #steps: HostSteps;
  readonly #brake = new Brake();
  #number = 1;
  #probes = 0;
  #state: 'idle' | 'probing' | 'held' = 'idle';
  #timer: NodeJS.Timeout | undefined;

  constructor(label: string, steps: HostSteps) {
    this.#label = label;
    this.#steps = steps;
  }

  /** The name that is probed or held, with `.local`. */
  get name(): string {
    return this.isRenamed ? `${this.#label}-${this.#number}.local` : this.first;
  }

  /** The name without a number, which is tried first, with `.local`. */
  get first(): string {
    return `${this.#label}.local`;
  }

  get isRenamed(): boolean {
    return this.#number > 1;
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  get isProbing(): boolean {
    return this.#state === 'probing' && this.#probes > 0;
  }

  /**
   * Starts to probe after `delayMs`; the random default keeps hosts that start together from probing together (8.1).
   */
  start(delayMs = Math.random() * PROBE_MS): void {
    this.stop();
    this.#state = 'probing';
    this.#probes = 0;
    this.#timer = setTimeout(() => this.#probe(), delayMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#state = 'idle';
  }

  /** Stops, and returns to the first name for the next start. */
  reset(): void {
    this.stop();
    this.#number = 1;
  }

  /** Probes again after a conflict, under the next name for `rename`. */
  conflict(conflict: Conflict): void {
    if (conflict === 'rename') this.#number += 1;
    this.start(this.#brake.after({ pauseMs: conflict === 'defer' ? DEFER_MS : 0 }));
  }

  #probe(): void {
    if (this.#probes < PROBES) {
      this.#probes += 1;
      this.#steps.probe();
      this.#timer = setTimeout(() => this.#probe(), PROBE_MS);
      return;
    }
    this.#state = 'held';
    this.#timer = setTimeout(() => this.#steps.announce(true), REPEAT_MS);
    this.#steps.announce(false);
  }
}
