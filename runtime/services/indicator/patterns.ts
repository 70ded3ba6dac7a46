/** What the LED of the box shows: pure. */
import type { BlinkPhase } from '../../bindings/board.ts';

/** What is wrong, with the number of its flashes. */
export const FLASHES = { no_printer: 1, no_link: 2, no_radio: 3 } as const;

/** What a person at the box can put right. */
export type BoxTrouble = keyof typeof FLASHES;

/** How a node is. `setup`: its setup network is open. */
export interface NodeCondition {
  readonly troubles: readonly BoxTrouble[];
  readonly setup: boolean;
}

const on = (ms: number): BlinkPhase => ({ lit: true, ms });
const off = (ms: number): BlinkPhase => ({ lit: false, ms });

/** As many short flashes as the trouble has, then a pause: 250 ms each, and long enough to count again. */
const flashes = (count: number): BlinkPhase[] =>
  Array.from({ length: count }, (_, at) => [on(250), off(at === count - 1 ? 1500 : 250)]).flat();

/** All is well: lit. Setup is open: slow and even. Trouble: the flashes of each, one after the other. */
export function patternOf({ troubles, setup }: NodeCondition): readonly BlinkPhase[] {
  if (troubles.length > 0) return troubles.flatMap((trouble) => flashes(FLASHES[trouble]));
  return setup ? [on(1000), off(1000)] : [on(0)];
}
