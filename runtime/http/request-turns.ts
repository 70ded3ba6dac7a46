/** Which requests are worked on in one turn of the event loop, so that who comes anew is accepted soon. */
import { letIn } from '../base/loop.ts';
import type { Node } from '../kernel/node.ts';
import { LoopTurns } from './loop-turns.ts';

/** Requests that begin in one turn without waiting: each takes a part of a millisecond. */
const AT_ONCE = 2;

/**
 * In one turn of the loop, which accepts one connection (libuv since 1.45), few requests begin; and behind a long body, which takes
 * milliseconds, those are let in who wait to be accepted. What is beyond that waits, sources by turns: who sends much keeps neither others
 * waiting nor those out who come anew.
 */
export class RequestTurns {
  readonly #short = new LoopTurns(1);
  readonly #long = new LoopTurns();
  #begun = 0;
  /** Others are let in behind a long body. */
  #isLettingIn = false;

  /** A request begins. Undefined where it need not wait. */
  begin(source: string): Promise<void> | undefined {
    if (this.#begun >= AT_ONCE) return this.#short.next(source);
    if (this.#begun === 0)
      setImmediate(() => {
        this.#begun = 0;
      });
    this.#begun += 1;
    return undefined;
  }

  /** A long body is here, and is to be read. Undefined where it need not wait. */
  read(source: string): Promise<void> | undefined {
    if (this.#isLettingIn || this.#long.isGoing) return this.#long.next(source);
    this.#isLettingIn = true;
    void letIn().then(() => {
      this.#isLettingIn = false;
    });
    return undefined;
  }
}

const turnsOf = new WeakMap<Pick<Node, 'hooks'>, RequestTurns>();

/** The turns of the requests to a node, whichever port they come to: they share one event loop. */
export function requestTurnsOf(node: Pick<Node, 'hooks'>): RequestTurns {
  const turns = turnsOf.get(node) ?? new RequestTurns();
  turnsOf.set(node, turns);
  return turns;
}
