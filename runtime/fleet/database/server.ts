/** A PostgreSQL server as the engine. */
import pg from 'pg';
import { Away, type Database, type Parameter, type Queries } from './database.ts';

/** Connections of one process; a server has 100 by default. */
const CONNECTIONS = 8;
/** Batches of messages under way: one is made while the other is committed; with more, each is smaller. */
const BATCHES = 2;
const CONNECT_MS = 10_000;
/** Requests that wait for a connection at most. */
const WAITING = 1000;
/** No statement of the fleet takes longer; one that does has lost its server. */
const STATEMENT_MS = 30_000;

/** A 64-bit integer is a number here: counters of heartbeats stay far below 2^53. */
const types = {
  getTypeParser: ((id: number, format: 'text' | 'binary') =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format as 'text')) as typeof pg.types.getTypeParser,
};

/** SQLSTATE classes that are about the server and not about the statement: connection, resources, intervention. */
const AWAY = /^(08|53|57)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Throws the error, as Away where it says nothing of the statement. */
function fail(error: Error & { readonly code?: unknown }): never {
  const code = String(error.code);
  if (SQLSTATE.test(code) && !AWAY.test(code)) throw error;
  throw new Away(error.message, { cause: error });
}

/** Connects to `postgres://user:password@host:port/database`. Rejects if the server does not answer. */
export async function openServer(url: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'tillnode-fleet',
    types,
  });
  // A connection that breaks while it is idle is replaced at the next use.
  pool.on('error', () => {});
  const on = (client: Pick<pg.Pool, 'query'>): Queries => ({
    query: async <Row>(sql: string, parameters: readonly Parameter[] = []) =>
      (await client.query(sql, [...parameters]).catch(fail)).rows as Row[],
  });
  const mayWait = () => {
    if (pool.waitingCount >= WAITING) throw new Away('too many wait for a connection');
  };
  await pool.query('SELECT 1').catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    async query(sql, parameters) {
      mayWait();
      return on(pool).query(sql, parameters);
    },
    parallel: BATCHES,
    async transaction(work) {
      mayWait();
      const client = await pool.connect().catch(fail);
      // Emitted beside the rejection of the statement in progress.
      const ignore = () => {};
      client.on('error', ignore);
      let broken: Error | undefined;
      try {
        await client.query('BEGIN').catch(fail);
        const result = await work(on(client as unknown as pg.Pool));
        await client.query('COMMIT').catch(fail);
        return result;
      } catch (error) {
        broken = await client.query('ROLLBACK').then(
          () => undefined,
          () => error as Error,
        );
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    },
    async script(sql) {
      await pool.query(sql);
    },
    close: () => pool.end(),
  };
}
