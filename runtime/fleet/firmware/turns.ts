/**
 * Pieces of images wait for each other: Node has four threads for files, names and passwords, and a slow disk must not take them all;
 * and between two of them connections are accepted.
 */
import { letIn } from '../../base/loop.ts';

const AT_A_TIME = 2;

let underWay = 0;
const waiting: (() => void)[] = [];

/** Does the work when fewer than two others are under way. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (underWay >= AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay += 1;
  try {
    const done = await work();
    await letIn();
    return done;
  } finally {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }
}
