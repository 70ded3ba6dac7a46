/** Time of simulated nodes: things happen more often by the speed, and what is still to come ends with the simulation. */

/** Timers of Node hold 31 bits. */
const LONGEST_MS = 0x7fff_ffff;

/** A source of timers. */
export class Clock {
  /** How many times faster than real time. */
  readonly speed: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(speed: number) {
    this.speed = speed;
  }

  /** Does the work once, after so many milliseconds of the nodes. */
  after(ms: number, work: () => void): void {
    if (this.#stopped || ms === Infinity) return;
    const run = () => {
      this.#timers.delete(timer);
      work();
    };
    const timer = setTimeout(run, Math.min(ms / this.speed, LONGEST_MS));
    this.#timers.add(timer);
  }

  /** As `after`, at a random moment: on average after so many milliseconds, whenever that is asked. */
  around(meanMs: number, work: () => void): void {
    this.after(-Math.log(1 - Math.random()) * meanMs, work);
  }

  /** Does the work again and again, at random moments (a Poisson process). */
  nowAndThen(meanMs: number, work: () => void): void {
    this.around(meanMs, () => {
      work();
      this.nowAndThen(meanMs, work);
    });
  }

  /** Nothing more happens. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
