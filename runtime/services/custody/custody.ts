/** What the two gestures do (specification 3.1, last row; 3.5; 5, rule 16). Physical access to the box needs no key. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AsyncSeriesHook } from 'tapable';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { ERASED } from '../../kernel/settings.ts';
import type { Gesture } from './gestures.ts';
import type { Slips } from './slips.ts';

/** Longest wait for the notice to be printed; then the node restarts without it. */
const SLIP_MS = 5000;

/** Carries out gestures of the button, prints notices about them and logs them. */
export class Custody {
  readonly #node: Node;
  readonly #slips: Slips;
  readonly #forget: AsyncSeriesHook<[]>;
  readonly #slipMs: number;
  readonly #underWay = new Set<Gesture>();

  constructor(node: Node, slips: Slips, forgetNetwork: AsyncSeriesHook<[]>, slipMs = SLIP_MS) {
    this.#node = node;
    this.#slips = slips;
    this.#forget = forgetNetwork;
    this.#slipMs = slipMs;
  }

  /** Carries out a gesture; never rejects. The same gesture again before this one has finished does nothing. */
  async act(gesture: Gesture): Promise<void> {
    if (this.#underWay.has(gesture)) return;
    this.#underWay.add(gesture);
    await (gesture === 'clear_keys' ? this.#clearKeys() : this.#forgetNetwork());
    this.#underWay.delete(gesture);
  }

  async #clearKeys(): Promise<void> {
    const { config, bindings, log } = this.#node;
    const erase = () =>
      config.patch({ apiKey: '', apiMode: 'open' }, undefined, (draft) => {
        delete draft.updateKey;
      });
    if (!(await this.#attempt('keys not erased', erase))) {
      await this.#slips.say('keysNotErased', 'keysNotErasedHow');
      return;
    }
    log.warn({}, 'keys erased by the button; restarting');
    const slip = this.#slips.say('keysErased', 'keysErasedHow', 'keysErasedKept');
    await Promise.race([slip, delay(this.#slipMs, undefined, { ref: false })]);
    bindings.boot.restart();
  }

  async #forgetNetwork(): Promise<void> {
    const { settings, log } = this.#node;
    const wasHeld = settings.read(ERASED) === true;
    const attest = () =>
      settings.update((draft) => {
        delete draft[ERASED];
      });
    const attested = await this.#attempt('custody not attested', attest);
    const forgotten = await this.#attempt('network not forgotten', () => this.#forget.promise());
    if (!attested || !forgotten) {
      await this.#slips.say('notStored', 'notStoredHow');
      return;
    }
    log.warn({ custodyHold: wasHeld }, 'network forgotten by the button');
    if (wasHeld) {
      await this.#slips.say('readyToSetUp', 'readyToSetUpHow');
    }
  }

  async #attempt(failure: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      const detail = error instanceof ApiError ? `${error.code}: ${error.detail ?? ''}` : String(error);
      this.#node.log.error({ error: detail }, failure);
      return false;
    }
  }
}
