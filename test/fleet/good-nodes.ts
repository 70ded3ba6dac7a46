/** Nodes that send as they do, and what came of each heartbeat. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { heartbeat, MASTER, type RunningFleet } from './fleet.ts';

/** A node hangs up after this time. */
const DEADLINE_MS = 10_000;

/** What came of the heartbeats that were sent since the last look. */
export interface Outcome {
  readonly sent: number;
  /** Answered 204; and those of them within a second. */
  readonly answered: number;
  readonly prompt: number;
  readonly p99Ms: number;
}
/** What came of those that were not taken, besides. */
export interface Answers extends Outcome {
  /** Told by 503 when to come again, and how long the last of them waited for that. */
  readonly refused: number;
  readonly refusedMs: number;
  /** What else was answered, or 0 for nothing. */
  readonly others: readonly number[];
}

interface Round {
  sent: number;
  /** The milliseconds of those that were taken, and of those that are to come again. */
  readonly taken: number[];
  readonly refused: number[];
  readonly others: number[];
}
const anew = (): Round => ({ sent: 0, taken: [], refused: [], others: [] });

/** A number of nodes, each with a heartbeat each `everyMs`, at the URLs in turn. */
export class GoodNodes {
  readonly #nodes;
  readonly #urls: readonly string[];
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<void>>();
  #round = anew();

  constructor(urls: readonly string[], many: number, everyMs: number) {
    this.#urls = urls;
    this.#nodes = Array.from({ length: many }, (_, at) => {
      const id = at.toString(16).padStart(8, '0');
      return { at, id, token: tokenOf(MASTER, id), bootId: randomBytes(4).toString('hex'), seq: 0, answered: 0 };
    });
    const began = performance.now();
    let next = 0;
    this.#timer = setInterval(() => {
      for (const due = ((performance.now() - began) / everyMs) * many; next < due; next += 1) this.#beat(next % many);
    }, 5);
  }

  /** How many heartbeats of each node were answered. */
  get answered(): ReadonlyMap<string, number> {
    return new Map(this.#nodes.map(({ id, answered }) => [id, answered]));
  }

  /** What came of those since the last time, once all of them are answered or late. */
  async look(): Promise<Answers> {
    const round = this.#round;
    this.#round = anew();
    await Promise.all(this.#underWay);
    const { sent, taken, refused, others } = round;
    taken.sort((one, other) => one - other);
    return {
      ...{ sent, others, refused: refused.length, refusedMs: Math.round(Math.max(0, ...refused)) },
      answered: taken.length,
      prompt: taken.filter((ms) => ms <= 1000).length,
      p99Ms: Math.round(taken[Math.floor(taken.length * 0.99)] ?? 0),
    };
  }

  /** Sends no more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  #beat(at: number): void {
    const sent = this.#send(at).finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  async #send(at: number): Promise<void> {
    const node = this.#nodes[at];
    if (node === undefined) return;
    const round = this.#round;
    node.seq += 1;
    round.sent += 1;
    const began = performance.now();
    const { id, bootId, seq, token } = node;
    const body = JSON.stringify(heartbeat({ node: id, bootId, seq, uptimeSeconds: 10 * seq }));
    const url = `${this.#urls[at % this.#urls.length]}/heartbeat`;
    const [status, again] = await new Promise<readonly [status: number, again: boolean]>((resolve) => {
      const asked = request(url, {
        method: 'POST',
        agent: false,
        localAddress: `127.0.1.${1 + (at % 200)}`,
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { Authorization: `Bearer ${token}`, 'Content-Length': Buffer.byteLength(body) },
      });
      asked.once('response', (response) => {
        const { statusCode = 0, headers } = response;
        response.resume().once('close', () => resolve([statusCode, Number(headers['retry-after']) > 0]));
      });
      asked.once('error', () => resolve([0, false]));
      asked.end(body);
    });
    const ms = performance.now() - began;
    if (status === 503 && again) round.refused.push(ms);
    else if (status !== 204) round.others.push(status);
    if (status !== 204) return;
    node.answered += 1;
    round.taken.push(ms);
  }
}

/** Nodes of which less is stored than was answered. */
export async function lostOf(good: GoodNodes, call: RunningFleet['call']) {
  const stored = new Map<string, number>();
  for (let after = ''; ; ) {
    const { nodes } = (await call('GET', `/api/nodes?limit=1000&after=${after}`)).body;
    for (const { id, heartbeats } of nodes) stored.set(id, heartbeats);
    after = nodes.at(-1)?.id ?? '';
    if (nodes.length < 1000) break;
  }
  return [...good.answered].filter(([id, answered]) => (stored.get(id) ?? 0) < answered);
}
