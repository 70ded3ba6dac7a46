/** Nodes that send as they do, and what came of each heartbeat. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { tokenOf } from '../../../runtime/fleet/sign-in/node-tokens.ts';
import { heartbeat, MASTER } from '../fleet.ts';

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

interface Round {
  sent: number;
  /** The milliseconds of those that were taken. */
  readonly taken: number[];
}

/** A number of nodes, each with a heartbeat each `everyMs`, at the URLs in turn. */
export class GoodNodes {
  readonly #nodes;
  readonly #urls: readonly string[];
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<void>>();
  #round: Round = { sent: 0, taken: [] };

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
  async look(): Promise<Outcome> {
    const { sent, taken } = this.#round;
    this.#round = { sent: 0, taken: [] };
    await Promise.all(this.#underWay);
    taken.sort((one, other) => one - other);
    return {
      sent,
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
    const status = await new Promise<number>((resolve) => {
      const asked = request(url, {
        method: 'POST',
        agent: false,
        localAddress: `127.0.1.${1 + (at % 200)}`,
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { Authorization: `Bearer ${token}`, 'Content-Length': Buffer.byteLength(body) },
      });
      asked.once('response', (response) => response.resume().once('close', () => resolve(response.statusCode ?? 0)));
      asked.once('error', () => resolve(0));
      asked.end(body);
    });
    if (status !== 204) return;
    node.answered += 1;
    round.taken.push(performance.now() - began);
  }
}
