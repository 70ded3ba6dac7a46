/** Text for thrown values, which need not be Errors. */

/** The message of an Error; any other value as a string. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The stack of an Error (or its message, if it has no stack), for a log; any other value as a string. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
