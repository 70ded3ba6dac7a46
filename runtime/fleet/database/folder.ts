/** PostgreSQL in the process, on a folder: PGlite, which is PostgreSQL compiled to WebAssembly. */
import { randomBytes } from 'node:crypto';
import { fdatasyncSync, readdirSync, realpathSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Extension, PGlite, types } from '@electric-sql/pglite';
import { lock } from '../../base/folder-lock.ts';
import { letIn } from '../../base/loop.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { inStatement } from '../traces/spans.ts';
import { type Database, Full, type Parameter, type Queries } from './database.ts';

/** Segments of the write-ahead log, each of 16 MB: as many are kept, and written again once what is in them is in the tables. */
const SEGMENTS = 4;
const SEGMENT = /^[0-9A-F]{24}$/;
/** How often it is looked whether the last of them is reached. */
const LOG_MS = 1000;

/** As PGlite starts it, but with `fsync`, by the call that is hooked below. */
const START = [
  ...PGlite.defaultStartParams.filter((each) => each !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  ...['min', 'max'].flatMap((which) => ['-c', `${which}_wal_size=${SEGMENTS * 16}MB`]),
];

/** Longest time of a timer of Node; one that is set to more ends after 1 ms. */
const TIMER_MS = 2 ** 31 - 1;
interface Imports {
  readonly env: { _setitimer_js: (which: number, ms: number) => number };
}
/**
 * PostgreSQL has a timer of its own for what is due, by the clock: where that was put back by more than 24 days, it would be set anew each
 * millisecond, with a warning each.
 */
const BOUNDED_TIMERS: Extension = {
  name: 'bounded timers',
  setup: async (_, options) => {
    const { instantiateWasm } = options;
    const bounded = (imports: Imports, done: unknown) => {
      const set = imports.env._setitimer_js;
      imports.env._setitimer_js = (which, ms) => set(which, Math.min(ms, TIMER_MS));
      return instantiateWasm(imports, done);
    };
    return { emscriptenOpts: { ...options, instantiateWasm: bounded } };
  },
};

/** Three segments: PostgreSQL in the process never returns from a transaction for which it can make no segment. */
const FREE_BYTES = 48 * 1024 * 1024;

/**
 * A file that takes room while there is some, and is given up where there is none: at a start, as PostgreSQL writes a little to begin to read,
 * and in a transaction that began while there was room, which may need a segment.
 */
const RESERVE = 'tillnode-reserve';
const RESERVE_BYTES = 20 * 1024 * 1024;
/** errno of WASI (preview 1, nospc): no space left on device. */
const NO_SPACE = 51;

/** SQLSTATE read_only_sql_transaction. */
const isOfReadOnly = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === '25006';

/** The part of Emscripten's file system on a folder that is used here; it has no `fsync` of its own. */
interface NodeFs {
  stream_ops: { fsync?: (stream: { readonly nfd?: number }) => number; write: (...given: unknown[]) => number };
}

/** Opens or creates the folder. Rejects if another process has it open. */
export async function openFolder(path: string): Promise<Database> {
  makeFolder(path);
  // PGlite follows no link.
  const folder = realpathSync(path);
  // PostgreSQL in the process does not see another one, and makes a database in an empty folder alone.
  const unlock = await lock(folder, `${folder}.lock`);
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  const reserve = join(folder, RESERVE);
  if (free() < RESERVE_BYTES) rmSync(reserve, { force: true });
  const lite = await PGlite.create({
    dataDir: folder,
    startParams: START,
    extensions: { boundedTimers: BOUNDED_TIMERS },
    parsers: { [types.INT8]: Number },
  }).catch((error: unknown) => {
    unlock();
    if (free() >= RESERVE_BYTES) throw error;
    throw new Full(`the disk is full: ${free()} bytes are free, and PostgreSQL cannot begin in ${folder}`, {
      cause: error,
    });
  });
  // What is committed is on the disk, not in its cache: an answer promises that.
  const { NODEFS } = (lite as unknown as { Module: { NODEFS: NodeFs } }).Module;
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    if (nfd !== undefined) fdatasyncSync(nfd);
    return 0;
  };
  let isReserved = false;
  const { write } = NODEFS.stream_ops;
  NODEFS.stream_ops.write = (...given) => {
    try {
      return write(...given);
    } catch (error) {
      if ((error as { readonly errno?: unknown }).errno !== NO_SPACE) throw error;
      rmSync(reserve, { force: true });
      isReserved = false;
      return write(...given);
    }
  };
  const on = (client: Pick<PGlite, 'query'>): Queries => ({
    query: async <Row>(sql: string, parameters: readonly Parameter[] = []) => {
      const { rows } = await inStatement(sql, () => client.query<Row>(sql, [...parameters]));
      // It ran in the thread that listens.
      await letIn();
      return rows;
    },
  });
  const hasRoom = () => {
    const has = free() >= FREE_BYTES;
    if (has && !isReserved) reserveRoom(reserve);
    isReserved ||= has;
    return has;
  };
  const full = () =>
    new Full(`the disk is full, and the fleet read-only: less than ${FREE_BYTES} bytes are free for ${folder}`);
  const mustHaveRoom = () => {
    if (!hasRoom()) throw full();
  };
  const transaction: Database['transaction'] = async (work) => {
    const isFull = !hasRoom();
    return lite
      .transaction(async (client) => {
        // What a statement writes, the engine itself knows.
        if (isFull) await client.query('SET TRANSACTION READ ONLY');
        return work(on(client));
      })
      .catch((error: unknown) => {
        throw isFull && isOfReadOnly(error) ? full() : error;
      });
  };
  const query: Database['query'] = (sql, parameters) =>
    hasRoom() ? on(lite).query(sql, parameters) : transaction((client) => client.query(sql, parameters));
  const log = keepLog(lite, folder, hasRoom);
  return {
    query,
    transaction,
    // The tokens that nodes show are read there, too.
    ingest: { parallel: 1, transaction },
    watch: { query, transaction },
    isFull: () => !hasRoom(),
    async tidy() {
      mustHaveRoom();
      // Nothing is deleted from partitions, which go as they are.
      const { rows } = await lite.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND NOT relispartition
           AND relnamespace = 'public'::regnamespace`,
      );
      for (const { name } of rows) await lite.exec(`VACUUM ${name}`);
    },
    async script(sql) {
      await lite.exec(sql);
    },
    async close() {
      clearInterval(log);
      await lite.close();
      unlock();
    },
  };
}

/**
 * Has the log begin anew in its first segments when the last is reached, while there is room. Who does that on a server, the checkpointer, is a
 * process of its own: without it the log has all that was ever written, and a start reads it.
 */
function keepLog(lite: PGlite, folder: string, hasRoom: () => boolean): NodeJS.Timeout {
  let reached: string | undefined;
  const look = async () => {
    const segments = readdirSync(join(folder, 'pg_wal')).filter((name) => SEGMENT.test(name));
    const last = segments.sort().at(-1);
    if (segments.length < SEGMENTS || last === reached || !hasRoom()) return;
    const { rows } = await lite.query<{ now: string }>('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS now');
    if (rows[0]?.now !== last) return;
    reached = last;
    await lite.exec('CHECKPOINT');
  };
  // What fails here fails in what is asked next, too.
  return setInterval(() => void look().catch(() => {}), LOG_MS).unref();
}

/** Makes the file where it is not there. Without it, all but a start without any room is as with it. */
function reserveRoom(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.size === RESERVE_BYTES) return;
    // What a file system cannot leave out.
    writeFileSync(path, randomBytes(RESERVE_BYTES));
  } catch {
    // Tried again at the next start.
  }
}
