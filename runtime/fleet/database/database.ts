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

/** Where the data is: a folder of PostgreSQL in the process, or the URL of a server (`postgres://…`). */
export type Where = { readonly folder: string } | { readonly url: string };
