/**
 * Receipts with keys, printed while the node and the till are killed at random: one till sends them itself and is killed with
 * the node; another uses `printOnce` and lives on.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { NodeClient, NodeError } from '../../runtime/client/client.ts';
import { randomFrom } from '../random.ts';
import { end, startChild, startKeyedNode } from './keyed-node.ts';
import { countsOn, receipt } from './keyed-receipt.ts';

export interface KeyedStorm {
  readonly receipts: number;
  readonly nodeKills: number;
  readonly tillKills: number;
  /** Nobody knows whether they printed: how many, and of how many no byte is on the paper, only a part, the whole. */
  readonly inDoubt: { readonly all: number; readonly none: number; readonly part: number; readonly whole: number };
  /** In words; none where everything held. */
  readonly faults: readonly string[];
}

const VICTIMS = ['node', 'till', 'both'] as const;
const LONGEST_LIFE_MS = 400;

/** Goes on until there were so many kills, and as many receipts. */
export async function keyedStorm({
  receipts,
  kills,
  seed,
}: Readonly<Record<'receipts' | 'kills' | 'seed', number>>): Promise<KeyedStorm> {
  const random = randomFrom(seed);
  const node = await startKeyedNode();
  /** What each receipt was answered with. */
  const answers = new Map<string, string>();
  const faults: string[] = [];
  let nodeKills = 0;
  let tillKills = 0;
  let killed = 0;
  let till: ChildProcess | undefined;
  let next = 1;
  try {
    const startTill = async () => {
      till = await startChild('keyed-till', [node.url, String(next)], (line) => {
        const [, number = '', what = ''] = /^answered (\d+) (.*)$/.exec(line) ?? [];
        answers.set(`till-${number}`, what);
        next = Number(number) + 1;
      });
    };
    const isOver = () => killed >= kills && answers.size >= receipts;
    const client = new NodeClient({ url: node.url });
    const printOnce = async () => {
      for (let number = 1; !isOver() && faults.length === 0; number += 1) {
        const name = `once-${number}`;
        const what = await client.printOnce(receipt(name)).then(
          () => 'printed',
          (error: unknown) => {
            if (!(error instanceof NodeError)) throw error;
            return error.code === 'write_failed' ? 'in-doubt' : `${error.message}, ${error.mayHavePrinted}`;
          },
        );
        answers.set(name, what);
      }
    };
    await startTill();
    const printing = printOnce();
    for (; killed < kills; killed += 1) {
      await delay(random() * LONGEST_LIFE_MS);
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'both';
      if (victim !== 'till') nodeKills += 1;
      if (victim !== 'node') tillKills += 1;
      await Promise.all([
        victim === 'till' ? undefined : node.kill(),
        victim === 'node' || till === undefined ? undefined : end(till, 'SIGKILL'),
      ]);
      if (victim !== 'till') await node.start();
      if (victim !== 'node') await startTill();
    }
    await printing;
    if (till !== undefined) await end(till, 'SIGTERM');

    const on = countsOn(node.paper());
    const inDoubt = { all: 0, none: 0, part: 0, whole: 0 };
    for (const [name, what] of answers) {
      const { begun, ended } = on(name);
      const isOnce = begun === 1 && ended === 1;
      const isAtMostOnce = begun <= 1 && ended <= begun;
      if (what === 'in-doubt') {
        inDoubt.all += 1;
        inDoubt[begun === 0 ? 'none' : ended === 0 ? 'part' : 'whole'] += 1;
      }
      if ((what === 'printed' && isOnce) || (what === 'in-doubt' && isAtMostOnce)) continue;
      faults.push(`${name}: ${what}; on the paper ${begun} beginnings, ${ended} ends`);
    }
    return { receipts: answers.size, nodeKills, tillKills, inDoubt, faults };
  } finally {
    if (till !== undefined) await end(till, 'SIGKILL');
    await node.remove();
  }
}
