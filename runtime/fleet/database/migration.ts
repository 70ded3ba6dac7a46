/**
 * A step of the tables. One that has been released is never changed; what comes later is a migration of its own.
 * Columns of type json keep the text as it was written, which is compared with what comes next.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
