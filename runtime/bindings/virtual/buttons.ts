import type { ButtonListener, ButtonsBinding } from '../board.ts';

/** Buttons that a test or the twin's bench presses. */
export class VirtualButtons implements ButtonsBinding {
  readonly ofMachine = false;
  #listener: ButtonListener | undefined;

  async start(listener: ButtonListener): Promise<void> {
    this.#listener = listener;
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
  }

  press(name: string): void {
    this.#listener?.press(name, performance.now());
  }

  release(name: string): void {
    this.#listener?.release(name, performance.now());
  }

  /** Reports a press `ms` milliseconds ago and a release now, without waiting. */
  hold(name: string, ms: number): void {
    const now = performance.now();
    this.#listener?.press(name, now - ms);
    this.#listener?.release(name, now);
  }
}
