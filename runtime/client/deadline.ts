/** A signal that is aborted by the caller's signal, or when a started time limit has passed. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#controller.abort(outer.reason);
    outer?.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time limit, or restarts it. */
  start(ms: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no response within ${ms} ms`)), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the time limit and ignores the caller's signal from now on. To call in every case. */
  end(): void {
    this.stop();
    this.#outer?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);
}

/** Resolves after `ms`. Rejects with the reason of the signal if that is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener('abort', over);
    if (signal?.aborted) over();
  });
}
