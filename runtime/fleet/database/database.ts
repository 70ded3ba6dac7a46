/** The seam between the fleet and its engine: the same SQL on PostgreSQL in the process and on a server. */
/** Runs one statement. Parameters are text, numbers, booleans, bytes or null; what is compound goes as JSON text. */
export interface Queries {
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
}
export type Parameter = string | number | boolean | Uint8Array | null;

/** Something that is done whole or not at all. */
export interface Transactions {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. It runs again where it and another wait for
   * each other.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

/** For what comes in: it shares no connection with anything else. */
export interface Batches extends Transactions {
  /** How many batches of messages are stored at a time. */
  readonly parallel: number;
}

/** An engine. 64-bit integers are read as numbers, times as Date. */
export interface Database extends Queries, Transactions {
  readonly ingest: Batches;
  /** For what is done again and again: whatever comes, states, alerts and rollouts go on. */
  readonly watch: Queries & Transactions;
  /** Runs several statements without parameters, one after the other. */
  script(sql: string): Promise<void>;
  /** Whether its disk has no room, so that it is only read; false of a server, of whose disk nothing is known here. */
  isFull(): boolean;
  /** Frees the space of deleted rows (VACUUM), where nothing else does. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** The engine does not answer, or too many wait for it: a request may come again. */
export class Away extends Error {}

/** There is no room for what would be written. */
export class Full extends Away {}

/** What a stranger brings about, as often as he likes. `what`: the same for all of it, whatever he sent. */
export class Provoked extends Error {
  readonly what: string;
  constructor(what: string, detail: string) {
    super(`${what}: ${detail}`);
    this.what = what;
  }
}

/** How often a database is reported that stays away, or full. */
const TOLD_MS = 60_000;
/** Reports such a fault, and what strangers bring about, once a minute: a line for each refused message would fill what room there is. */
export function sparing(report: (error: Error) => void, clock = () => performance.now()): (error: Error) => void {
  const told = new Map<string, number>();
  return (error) => {
    const now = clock();
    const what = error instanceof Provoked ? error.what : error instanceof Away ? error.message : undefined;
    if (what !== undefined) {
      if (now - (told.get(what) ?? Number.NEGATIVE_INFINITY) < TOLD_MS) return;
      for (const [each, at] of told) if (now - at >= TOLD_MS) told.delete(each);
      told.set(what, now);
    }
    report(error);
  };
}

/** Where the data is: a folder of PostgreSQL in the process, or the URL of a server (`postgres://…`). */
export type Where = { readonly folder: string } | { readonly url: string };
