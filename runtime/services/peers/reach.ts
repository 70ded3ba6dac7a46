/** Whether nodes that were heard are reached from here, by address and by name: for `tillnode find`. */
import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 3000;
/** Nodes that are tried; a flood of forged beacons has more. */
const MOST = 64;

/** A node that was heard. */
interface Heard {
  readonly id: string;
  readonly address: string;
  readonly url: string;
}

/** What came of it. Both are undefined for a node that was not tried. */
export interface Reach {
  /** Its API answered. */
  readonly reached?: boolean;
  /** Its host name leads to its address on this machine. */
  readonly nameWorks?: boolean;
}

const isReached = (url: string): Promise<boolean> =>
  fetch(`${url}/status`, { signal: AbortSignal.timeout(DEADLINE_MS) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );

/** The resolver of the system has no deadline of its own. */
const leadsTo = (host: string, address: string): Promise<boolean> =>
  Promise.race([
    lookup(host, { all: true, family: 4 }).then(
      (found) => found.some((each) => each.address === address),
      () => false,
    ),
    delay(DEADLINE_MS, false, { ref: false }),
  ]);

/** Tries the first of them, all at once; in their order. Never rejects. */
export const withReach = <Node extends Heard>(nodes: readonly Node[]): Promise<(Node & Reach)[]> =>
  Promise.all(
    nodes.map(async (node, index) => {
      if (index >= MOST) return node;
      const [reached, nameWorks] = await Promise.all([
        isReached(node.url),
        leadsTo(`node-${node.id}.local`, node.address),
      ]);
      return { ...node, reached, nameWorks };
    }),
  );

/** What to say about it to people, a sentence each. */
export function sentencesAbout(nodes: readonly (Heard & Reach)[]): readonly string[] {
  if (nodes.length === 0) {
    return [
      'no node was heard. If there is one, this network keeps its devices apart (a guest network), or a firewall drops UDP 9101 on this machine',
    ];
  }
  const unreached = nodes.filter(({ reached }) => reached === false);
  const reached = nodes.filter((node) => node.reached === true);
  const ids = new Map<string, string[]>();
  for (const { id, address } of nodes) ids.set(id, [...(ids.get(id) ?? []), address]);
  return [
    ...unreached.map(
      ({ id, address }) =>
        `node-${id} is heard and does not answer at ${address}: this network keeps its devices apart (a guest network), or a firewall is between`,
    ),
    ...(reached.length > 0 && reached.every(({ nameWorks }) => nameWorks === false)
      ? ['names do not work here: use the address']
      : []),
    ...[...ids]
      .filter(([, addresses]) => addresses.length > 1)
      .map(
        ([id, addresses]) =>
          `node-${id} is at ${addresses.join(' and ')}: one node with two links, or a copied card (tillnode identity)`,
      ),
  ];
}
