/**
 * Recognises the gestures of the B button (specification 3.1, 3.5 and 5, rule 16). The time is an argument of each
 * call.
 */

/** What a press of the button means. */
export type Gesture = 'forget_network' | 'clear_keys';

/** Durations of a press, in milliseconds. Between the two gestures, and before the first, a press means nothing. */
export interface Windows {
  /** Shortest press that forgets the network, when released. */
  readonly forgetFrom: number;
  /** A press that forgets the network is shorter than this. */
  readonly forgetBefore: number;
  /** A press of this duration clears the keys, while the button is still held. */
  readonly clearHeld: number;
  /** A release that is shorter than this is contact bounce. */
  readonly bounce: number;
}

/** The durations of the product. */
export const WINDOWS: Windows = {
  forgetFrom: 4000,
  forgetBefore: 8000,
  clearHeld: 15_000,
  bounce: 50,
};

/** The state of one button. Every `at` is a time of the monotonic clock, in milliseconds. */
export class Hold {
  readonly #windows: Windows;
  #pressedAt: number | undefined;
  #releasedAt: number | undefined;
  /** This press has had its effect: a stuck button acts once. */
  #acted = false;

  constructor(windows: Windows) {
    this.#windows = windows;
  }

  /** The button was pressed. Returns the gesture of the previous press, if `decide` has not returned it. */
  press(at: number): Gesture | undefined {
    if (this.#pressedAt !== undefined && (this.#releasedAt === undefined || this.#bounces(at))) {
      this.#releasedAt = undefined;
      return undefined;
    }
    const before = this.#end();
    this.#pressedAt = at;
    this.#acted = false;
    return before;
  }

  /** The button was released. The gesture is known only after the bounce time: call `decide`. */
  release(at: number): void {
    if (this.#pressedAt !== undefined) this.#releasedAt ??= at;
  }

  /** The gesture, as known at `now`; returned once. */
  decide(now: number): Gesture | undefined {
    if (this.#releasedAt !== undefined) return this.#bounces(now) ? undefined : this.#end();
    const held = this.#pressedAt !== undefined && now - this.#pressedAt >= this.#windows.clearHeld;
    return held ? this.#act('clear_keys') : undefined;
  }

  /** When to call `decide` again; undefined while only a press or a release can change the result. */
  get dueAt(): number | undefined {
    if (this.#releasedAt !== undefined) return this.#releasedAt + this.#windows.bounce;
    return this.#pressedAt === undefined || this.#acted ? undefined : this.#pressedAt + this.#windows.clearHeld;
  }

  /** Whether `at` is within the bounce time of the release, before or after it, as time stamps are rounded. */
  #bounces(at: number): boolean {
    return Math.abs(at - (this.#releasedAt ?? at)) < this.#windows.bounce;
  }

  #end(): Gesture | undefined {
    if (this.#pressedAt === undefined || this.#releasedAt === undefined) return undefined;
    const meaning = this.#meaning(this.#releasedAt - this.#pressedAt);
    this.#pressedAt = undefined;
    this.#releasedAt = undefined;
    return this.#act(meaning);
  }

  #act(gesture: Gesture | undefined): Gesture | undefined {
    if (this.#acted) return undefined;
    this.#acted = true;
    return gesture;
  }

  #meaning(heldMs: number): Gesture | undefined {
    const { forgetFrom, forgetBefore, clearHeld } = this.#windows;
    // The process may have been suspended when the time was over.
    if (heldMs >= clearHeld) return 'clear_keys';
    return heldMs >= forgetFrom && heldMs < forgetBefore ? 'forget_network' : undefined;
  }
}
