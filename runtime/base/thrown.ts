/** Text for thrown values, which need not be Errors, and may throw themselves where they are read. */

const UNREADABLE = 'something that cannot be read was thrown';

const readable = (read: () => unknown): string => {
  try {
    return String(read());
  } catch {
    return UNREADABLE;
  }
};

/** The message of an Error; any other value as a string. */
export const messageOf = (thrown: unknown): string =>
  readable(() => (thrown instanceof Error ? thrown.message : thrown));

/** The stack of an Error (or its message, if it has no stack), for a log; any other value as a string. */
export const stackOf = (thrown: unknown): string =>
  readable(() => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown));

/** Whether it is a refusal of the operating system (errno(3)), whose message says in one line what was refused, and where. */
export const isOfTheSystem = (thrown: unknown): thrown is NodeJS.ErrnoException & Error =>
  thrown instanceof Error && 'syscall' in thrown;
