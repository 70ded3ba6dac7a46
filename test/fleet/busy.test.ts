/** A database that takes nothing, and nodes that go on sending. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { callsOf, heartbeat, MASTER } from './fleet.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { startFleetProcess } from './process.ts';

/** Nodes that send, each again as soon as it has an answer; heartbeats are about as long as they may be. */
const NODES = 1000;
const PADDING = 'x'.repeat(12_000);
/** The promise is for a process under full load beside one at rest. */
const GROWTH = 1.5;

it.skipIf(noPostgres)(
  'while the database does not answer, memory stays within its bound and nodes are told 503; what is answered afterwards is stored',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const where = { url: await server.database() };
    const fleet = await startFleetProcess(where, MASTER);
    onTestFinished(fleet.stop);
    const nodes = new Senders(fleet.url);
    onTestFinished(() => nodes.stop());
    const memory = () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${fleet.pid}/status`, 'utf8'))?.[1]);

    await until(() => nodes.answered(204) > 3 * NODES);
    const before = memory();
    const thaw = server.freeze();
    onTestFinished(thaw);
    await until(() => nodes.answered(503) > 5 * NODES);
    expect(memory() / before).toBeLessThan(GROWTH);
    const { status, headers } = await callsOf(fleet.url).beat(heartbeat());
    expect([status, Number(headers.get('retry-after')) >= 1]).toEqual([503, true]);

    thaw();
    const stored = nodes.answered(204);
    await until(() => nodes.answered(204) > stored + NODES);
    await nodes.stop();
    await fleet.stop();
    const tables = await openDatabase(where);
    const rows = await tables.query<{ id: string; heartbeats: number }>('SELECT id, heartbeats FROM node');
    await tables.close();
    // What was answered 503 may be stored all the same.
    const there = new Map(rows.map(({ id, heartbeats }) => [id, heartbeats]));
    expect([...nodes.stored].filter(([node, answered]) => (there.get(node) ?? 0) < answered)).toEqual([]);
  },
);

/** Nodes that send as fast as they are answered. */
class Senders {
  /** How many heartbeats of each node were answered 204. */
  readonly stored = new Map<string, number>();
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counts = new Map<number, number>();
  readonly #ended: Promise<unknown>;
  #stopped = false;

  constructor(url: string) {
    this.#url = url;
    this.#ended = Promise.all(Array.from({ length: NODES }, (_, at) => this.#send(at)));
  }

  /** How many were answered with this status. */
  answered(status: number): number {
    return this.#counts.get(status) ?? 0;
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
    this.#agent.destroy();
  }

  async #send(at: number): Promise<void> {
    const node = createHash('md5').update(`${at}`).digest('hex').slice(0, 8);
    for (let seq = 1; !this.#stopped; seq += 1) {
      const status = await this.#post(JSON.stringify(heartbeat({ node, seq, uptimeSeconds: seq, more: PADDING })));
      this.#counts.set(status, this.answered(status) + 1);
      if (status === 204) this.stored.set(node, (this.stored.get(node) ?? 0) + 1);
    }
  }

  #post(body: string): Promise<number> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${MASTER}`, 'Content-Length': Buffer.byteLength(body) };
      const sent = request(`${this.#url}/heartbeat`, { method: 'POST', headers, agent: this.#agent }, (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
      sent.end(body);
    });
  }
}
