/** The host name: probed, held, defended, and changed where it is somebody else's (RFC 6762, 8 and 9). */
import { Brake, type Conflict, DEFER_MS } from './conflict.ts';

const PROBES = 3;
const PROBE_MS = 250;
const REPEAT_MS = 1000;

export interface HostSteps {
  probe(): void;
  /** The name is this node's. `again`: the repetition a second later. */
  announce(again: boolean): void;
}

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

  /** With `.local`. */
  get name(): string {
    return this.isRenamed ? `${this.#label}-${this.#number}.local` : this.first;
  }

  /** The name it has where nobody else wants it. */
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

  /** Probes from the start, after a random wait: machines that are switched on together do not ask together (8.1). */
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

  /** What comes next is the first name. */
  reset(): void {
    this.stop();
    this.#number = 1;
  }

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
