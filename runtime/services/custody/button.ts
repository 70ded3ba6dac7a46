/** Connects the B button and a timer to a `Hold`, which recognises gestures. */
import type { ButtonListener } from '../../bindings/board.ts';
import { type Gesture, Hold, WINDOWS, type Windows } from './gestures.ts';

const NAME = 'b';

/** Calls `onGesture` for each gesture of the button `b`, until it is stopped. */
export class Button implements ButtonListener {
  readonly #hold: Hold;
  readonly #onGesture: (gesture: Gesture) => void;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(onGesture: (gesture: Gesture) => void, windows: Windows = WINDOWS) {
    this.#hold = new Hold(windows);
    this.#onGesture = onGesture;
  }

  press(name: string, at: number): void {
    if (name === NAME) this.#tell(this.#hold.press(at));
  }

  release(name: string, at: number): void {
    if (name !== NAME) return;
    this.#hold.release(at);
    this.#tell(undefined);
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #tell(gesture: Gesture | undefined): void {
    if (gesture !== undefined && !this.#over) this.#onGesture(gesture);
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const { dueAt } = this.#hold;
    if (dueAt === undefined || this.#over) return;
    // After the process was suspended, the timer may fire before a pending release is read: that is read first.
    const look = () => setImmediate(() => this.#tell(this.#hold.decide(performance.now())));
    this.#timer = setTimeout(look, Math.max(0, dueAt - performance.now())).unref();
  }
}
