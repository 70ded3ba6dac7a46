/**
 * A step of the tables. One that has been released is never changed; what comes later is a migration of its own.
 * Columns of type json keep the text as it was written, which is compared with what comes next.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
  /** Before them, what is written of each row of a large table. */
  readonly batches?: Batches;
}

/** Some rows at a time, each time in a transaction of its own, so that what comes in waits for some alone. */
export interface Batches {
  readonly lock: string;
  /** Does some behind the key $1, and gives the `last` of them; null where there are none. What is done twice is done once. */
  readonly next: string;
}
