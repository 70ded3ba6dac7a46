/**
 * Receipts with keys, printed while at random the node and the till are killed, every connection between them is cut, and the
 * printer's plug is pulled: one till sends them itself and is killed; another uses `printOnce` and lives on.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { NodeClient, NodeError } from '../../runtime/client/client.ts';
import { countsOn, receipt } from '../keyed-receipt.ts';
import { randomFrom } from '../random.ts';
import { startCable } from './keyed-cable.ts';
import { end, startChild, startKeyedNode } from './keyed-node.ts';

export interface KeyedStorm {
  readonly receipts: number;
  readonly nodeKills: number;
  readonly tillKills: number;
  readonly networkCuts: number;
  readonly printerPulls: number;
  /** The printer was pulled before it took a byte, and the answer says so. */
  readonly notPrinted: number;
  /** Nobody knows whether they printed: how many, and of how many no byte is on the paper, only a part, the whole. */
  readonly inDoubt: { readonly all: number; readonly none: number; readonly part: number; readonly whole: number };
  /** In words; none where everything held. */
  readonly faults: readonly string[];
}

const VICTIMS = ['node', 'till', 'both', 'network', 'printer'] as const;
const LONGEST_LIFE_MS = 400;
const LONGEST_PULL_MS = 100;

/** What came of a receipt; without a printer nothing did, and it is asked for anew. */
async function printedOnce(client: NodeClient, name: string): Promise<string> {
  for (;;) {
    try {
      await client.printOnce(receipt(name));
      return 'printed';
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error.code === 'write_failed' && !error.mayHavePrinted) return 'not-printed';
      // Also where the node was away for longer than it is asked again.
      if (error.code === 'write_failed' || (error.code === 'unreachable' && error.mayHavePrinted)) return 'in-doubt';
      if (error.code !== 'no_printer' || error.mayHavePrinted) return `${error.message}, ${error.mayHavePrinted}`;
    }
    await delay(10);
  }
}

/** Goes on until there were so many receipts, and so many kills among them. */
export async function keyedStorm({
  receipts,
  kills,
  seed,
}: Readonly<Record<'receipts' | 'kills' | 'seed', number>>): Promise<KeyedStorm> {
  const random = randomFrom(seed);
  const node = await startKeyedNode();
  const cable = await startCable(Number(new URL(node.url).port));
  /** What each receipt was answered with. */
  const answers = new Map<string, string>();
  const faults: string[] = [];
  const struck = { node: 0, till: 0, both: 0, network: 0, printer: 0 };
  let killed = 0;
  let till: ChildProcess | undefined;
  let next = 1;
  try {
    const startTill = async () => {
      till = await startChild('keyed-till', [cable.url, String(next)], (line) => {
        const [, number = '', what = ''] = /^answered (\d+) (.*)$/.exec(line) ?? [];
        answers.set(`till-${number}`, what);
        next = Number(number) + 1;
      });
    };
    const isOver = () => killed >= kills && answers.size >= receipts;
    const client = new NodeClient({ url: cable.url });
    const printOnce = async () => {
      for (let number = 1; !isOver() && faults.length === 0; number += 1) {
        const name = `once-${number}`;
        answers.set(name, await printedOnce(client, name));
      }
    };
    await startTill();
    const printing = printOnce();
    for (; killed < kills; killed += 1) {
      // The kills are spread over all of the receipts.
      while (answers.size < (killed / kills) * receipts && faults.length === 0) await delay(10);
      await delay(random() * LONGEST_LIFE_MS);
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'both';
      struck[victim] += 1;
      if (victim === 'network') cable.cut();
      if (victim === 'printer') {
        await node.pullOrPlug();
        await delay(random() * LONGEST_PULL_MS);
        await node.pullOrPlug();
      }
      const [isNode, isTill] = [/node|both/.test(victim), /till|both/.test(victim)];
      await Promise.all([isNode && node.kill(), isTill && till !== undefined && end(till, 'SIGKILL')]);
      if (isNode) await node.start();
      if (isTill) await startTill();
    }
    await printing;
    if (till !== undefined) await end(till, 'SIGTERM');

    const on = countsOn(node.paper());
    const inDoubt = { all: 0, none: 0, part: 0, whole: 0 };
    let notPrinted = 0;
    for (const [name, what] of answers) {
      const { begun, ended } = on(name);
      const isOnce = begun === 1 && ended === 1;
      const isAtMostOnce = begun <= 1 && ended <= begun;
      if (what === 'in-doubt') {
        inDoubt.all += 1;
        inDoubt[begun === 0 ? 'none' : ended === 0 ? 'part' : 'whole'] += 1;
      }
      if (what === 'not-printed') notPrinted += 1;
      if ((what === 'printed' && isOnce) || (what === 'in-doubt' && isAtMostOnce)) continue;
      if (what === 'not-printed' && begun === 0) continue;
      faults.push(`${name}: ${what}; on the paper ${begun} beginnings, ${ended} ends`);
    }
    return {
      ...{ receipts: answers.size, nodeKills: struck.node + struck.both, tillKills: struck.till + struck.both },
      ...{ networkCuts: struck.network, printerPulls: struck.printer, notPrinted, inDoubt, faults },
    };
  } finally {
    if (till !== undefined) await end(till, 'SIGKILL');
    cable.close();
    await node.remove();
  }
}
