/** Whether nodes that were heard are reached from here, by address and by name: for `tillnode find`. */
import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Gathered } from '../../base/gathered.ts';

const DEADLINE_MS = 3000;
/** Nodes that are tried; a flood of forged beacons has more. */
const MOST = 64;
/** What answers may be no node. */
const STATUS_BYTES = 256 * 1024;
const PATH = /^\/[\w/-]{1,100}$/;

/** A node that was heard. */
interface Heard {
  readonly id: string;
  readonly address: string;
  readonly url: string;
}

/** What came of it. Both are undefined for a node that was not tried. */
export interface PeerReach {
  /** Whether its API answered. */
  readonly reached?: boolean;
  /** Whether its host name leads to its address on this machine. */
  readonly nameWorks?: boolean;
  /** URIs of its IPP printers; none where IPP is off. */
  readonly ipp?: readonly string[];
}

/** The status of the node at a URL; undefined where none answers, null where it is none that can be read. */
async function statusOf(url: string): Promise<unknown> {
  try {
    const response = await fetch(`${url}/status`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (!response.ok) return undefined;
    const status = new Gathered();
    for await (const chunk of response.body ?? []) {
      status.push(chunk);
      if (status.length > STATUS_BYTES) return null;
    }
    return JSON.parse(status.whole().toString());
  } catch (error) {
    return error instanceof SyntaxError ? null : undefined;
  }
}

/** What a status says of IPP, which any device may have made up. */
function ippIn(status: unknown, address: string): string[] {
  const { ipp } = Object(status) as { readonly ipp?: unknown };
  const { port, printers } = Object(ipp) as Readonly<Record<string, unknown>>;
  if (typeof port !== 'number' || !Array.isArray(printers)) return [];
  const paths = printers.slice(0, 8).map((each: unknown) => String((Object(each) as { path?: unknown }).path));
  return paths.filter((path) => PATH.test(path)).map((path) => `ipp://${address}:${port}${path}`);
}

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
export const withReach = <Node extends Heard>(nodes: readonly Node[]): Promise<(Node & PeerReach)[]> =>
  Promise.all(
    nodes.map(async (node, index) => {
      if (index >= MOST) return node;
      const [status, nameWorks] = await Promise.all([
        statusOf(node.url),
        leadsTo(`node-${node.id}.local`, node.address),
      ]);
      return { ...node, reached: status !== undefined, nameWorks, ipp: ippIn(status, node.address) };
    }),
  );

/** What to say about it to people, a sentence each. */
export function sentencesAbout(nodes: readonly (Heard & PeerReach)[]): readonly string[] {
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
