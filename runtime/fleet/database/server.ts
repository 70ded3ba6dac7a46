/** A PostgreSQL server as the engine: one, or several of which one is written to. */
import pg from 'pg';
import { inStatement } from '../traces/spans.ts';
import { Away, type Database, Full, type Parameter, type Queries } from './database.ts';

/** What one kind of work may take. A server has 100 connections by default. */
interface Share {
  readonly connections: number;
  /** One that takes longer has lost its server. */
  readonly statementMs: number;
  /** Longest wait for a row or a table: who waits longer lets go, and comes again. */
  readonly lockMs: number;
  /** A process that was stopped in a transaction holds its rows for so long: then the server ends its session. */
  readonly idleMs: number;
}
/** Batches of messages under way: one is made while the other is committed; with more, each is smaller. */
const BATCHES = 2;
/** The share of what waits for a batch, and is told to come again after five seconds. */
const INGEST: Share = { connections: BATCHES, statementMs: 8000, lockMs: 6000, idleMs: 4000 };
/** A look, what is tidied up each hour, and what is told. */
const WATCH: Share = { connections: 3, statementMs: 30_000, lockMs: 10_000, idleMs: 5000 };
const OTHERS: Share = { connections: 6, statementMs: 30_000, lockMs: 10_000, idleMs: 5000 };
const CONNECT_MS = 5000;
/** TCP probes an idle server after this time. */
const PROBE_MS = 5000;
/** Requests that wait for a connection at most. */
const WAITING = 1000;

/** A 64-bit integer is a number here: counters of heartbeats stay far below 2^53. */
const types = {
  getTypeParser: ((id: number, format: 'text' | 'binary') =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * SQLSTATE classes and codes that are about the server and not about the statement: connection, resources, intervention,
 * rollback; a standby, a session that was idle, a lock that was not to be had.
 */
const AWAY = /^(08|53|57|40)|^(25006|25P03|55P03)$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** deadlock_detected: two wait for each other, and one of them was taken back whole. It is done again, so often in all. */
const DEADLOCK = '40P01';
const TRIES = 3;
/** disk_full. What could not be written is another file each time. */
const NO_ROOM = '53100';
type Failure = Error & { readonly code?: unknown };
const isOfServer = ({ code }: Failure): boolean => SQLSTATE.test(String(code));

/** Throws the error, as Away where it says nothing of the statement. */
function fail(error: Failure): never {
  if (isOfServer(error) && !AWAY.test(String(error.code))) throw error;
  if (error.code === NO_ROOM) throw new Full('the disk of the database is full', { cause: error });
  throw new Away(error.message, { cause: error });
}

/** `postgres://user:password@one:port,other:port/database` as one URL for each of its servers. */
export function serversOf(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/**
 * Connects to `postgres://user:password@host:port/database`; several hosts stand with commas between, and the first that is
 * no standby is taken, again after each failure. Rejects if none answers.
 */
export async function openServer(url: string): Promise<Database> {
  const servers = serversOf(url);
  const [ingest, watch, others] = [INGEST, WATCH, OTHERS].map((share) => new Connections(servers, share)) as [
    Connections,
    Connections,
    Connections,
  ];
  const close = async () => {
    await Promise.all([ingest.close(), watch.close(), others.close()]);
  };
  try {
    await others.query('SELECT 1', []);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    query: (sql, parameters) => others.query(sql, parameters),
    transaction: (work) => others.transaction(work),
    ingest: { parallel: BATCHES, transaction: (work) => ingest.transaction(work) },
    watch,
    async script(sql) {
      await others.query(sql);
    },
    isFull: () => false,
    // Autovacuum does.
    tidy: () => Promise.resolve(),
    close,
  };
}

/** The connections of one kind of work, to the server that is written to. */
class Connections {
  readonly #pools: readonly pg.Pool[];
  readonly #begin: string;
  /** Connections that are known to be of no standby. */
  readonly #checked = new WeakSet<pg.PoolClient>();
  #current = 0;

  constructor(servers: readonly string[], { connections, statementMs, lockMs, idleMs }: Share) {
    this.#pools = servers.map((connectionString) => {
      const pool = new pg.Pool({
        connectionString,
        max: connections,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: statementMs,
        statement_timeout: statementMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: PROBE_MS,
        application_name: 'tillnode-fleet',
        types,
      });
      // A connection that breaks while it is idle is replaced at the next use.
      pool.on('error', () => {});
      // One that breaks otherwise says so beside the rejection of the statement in progress.
      pool.on('connect', (client) => void client.on('error', () => {}));
      return pool;
    });
    // In each transaction and not once a session, which a pooler hands on to others.
    this.#begin = [
      'BEGIN',
      `SET LOCAL lock_timeout = ${lockMs}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
      // The server gives up a client whose machine is gone with an answer under way (tcp(7), TCP_USER_TIMEOUT).
      `SET LOCAL tcp_user_timeout = ${statementMs}`,
    ].join('; ');
  }

  /** Runs one statement. */
  async query<Row>(sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    const client = await this.#connect();
    return release(client, () => on(client).query<Row>(sql, parameters));
  }

  /** As `Database.transaction`. */
  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#once(work);
      } catch (error) {
        const { cause } = error as Error;
        if (tried === TRIES || (cause as Failure | undefined)?.code !== DEADLOCK) throw error;
      }
    }
  }

  async #once<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    return release(client, async () => {
      await client.query(this.#begin).catch(fail);
      const result = await work(on(client));
      await client.query('COMMIT').catch(fail);
      return result;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }

  async #connect(): Promise<pg.PoolClient> {
    let failure: Failure | undefined;
    for (let tried = 0; tried < this.#pools.length; tried += 1) {
      const pool = this.#pools[this.#current] as pg.Pool;
      if (pool.waitingCount >= WAITING) throw new Away('too many wait for a connection');
      const at = this.#current;
      try {
        return await this.#primary(pool);
      } catch (error) {
        failure = error as Failure;
        // Somebody else may have gone on already.
        if (this.#current === at) this.#current = (at + 1) % this.#pools.length;
      }
    }
    return fail(failure ?? new Error('no server'));
  }

  /** A connection of this pool that can be written with. */
  async #primary(pool: pg.Pool): Promise<pg.PoolClient> {
    const client = await pool.connect();
    if (this.#checked.has(client)) return client;
    try {
      const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
      if (rows[0]?.standby !== false) throw new Away('the server is a standby');
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
    this.#checked.add(client);
    return client;
  }
}

const on = (client: pg.PoolClient): Queries => ({
  query: async <Row>(sql: string, parameters: readonly Parameter[] = []) =>
    (await inStatement(sql, () => client.query(sql, [...parameters]).catch(fail))).rows as Row[],
});

/** Does the work, and gives the connection back; where the server did not refuse but is gone, it is closed. */
async function release<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  let broken: Error | undefined;
  try {
    return await work();
  } catch (thrown) {
    const error = thrown as Error;
    const cause = error instanceof Away ? (error.cause as Failure | undefined) : (error as Failure);
    broken =
      error instanceof Away && (cause === undefined || !isOfServer(cause))
        ? error
        : await client.query('ROLLBACK').then(
            () => undefined,
            () => error,
          );
    throw error;
  } finally {
    client.release(broken);
  }
}
