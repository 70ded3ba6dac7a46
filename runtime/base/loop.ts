/** The event loop, in which connections are accepted beside whatever else is done. */
import { setImmediate } from 'node:timers/promises';

/**
 * In each turn of the loop one connection is accepted (libuv since 1.45, uv_listen). Where every turn has work of a millisecond in
 * it, who comes would wait behind strangers that only connect, or behind hundreds that have such work done.
 */
const TURNS = 16;

/** Lets those in who wait to be accepted, before the next piece of work; with one turn, those that are known already. */
export async function letIn(turns = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}
