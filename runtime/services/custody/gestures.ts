/** What a hold of the B button means (specification 3.1, 3.5 and 5, rule 16). Time comes in with every call. */

export type Gesture = 'forget_network' | 'clear_keys';

/** In milliseconds. Between the two gestures, and short of the first, a hold means nothing. */
export interface Windows {
  /** Forgets the network when let go from here on, */
  readonly forgetFrom: number;
  /** and before here. */
  readonly forgetBefore: number;
  /** Clears the keys when let go from here on: people count fast. */
  readonly clearFrom: number;
  /** Clears the keys while still held. */
  readonly clearHeld: number;
  /** Pressed again within this, it was never let go: contacts bounce. */
  readonly bounce: number;
}

export const WINDOWS: Windows = {
  forgetFrom: 4000,
  forgetBefore: 8000,
  clearFrom: 13_000,
  clearHeld: 15_000,
  bounce: 50,
};

/** One button. Every `at` is monotonic, in milliseconds. */
export class Hold {
  readonly #windows: Windows;
  #pressedAt: number | undefined;
  #releasedAt: number | undefined;
  /** This hold has had its effect: one that lasts for ever acts once. */
  #acted = false;

  constructor(windows: Windows) {
    this.#windows = windows;
  }

  /** The button went down. Returns what the hold before it meant, where nobody asked yet. */
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

  /** The button came up. What that means is known once it has not bounced. */
  release(at: number): void {
    if (this.#pressedAt !== undefined) this.#releasedAt ??= at;
  }

  /** What the hold means by now; once. */
  decide(now: number): Gesture | undefined {
    if (this.#releasedAt !== undefined) return this.#bounces(now) ? undefined : this.#end();
    const held = this.#pressedAt !== undefined && now - this.#pressedAt >= this.#windows.clearHeld;
    return held ? this.#act('clear_keys') : undefined;
  }

  /** When to ask again; undefined while only a press or a release can change anything. */
  get dueAt(): number | undefined {
    if (this.#releasedAt !== undefined) return this.#releasedAt + this.#windows.bounce;
    return this.#pressedAt === undefined || this.#acted ? undefined : this.#pressedAt + this.#windows.clearHeld;
  }

  /** Either way round: stamps are rounded. A press long before the release it follows is another one. */
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
    const { forgetFrom, forgetBefore, clearFrom } = this.#windows;
    if (heldMs >= clearFrom) return 'clear_keys';
    return heldMs >= forgetFrom && heldMs < forgetBefore ? 'forget_network' : undefined;
  }
}
