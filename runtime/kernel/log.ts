/** One JSON line per entry, on standard error. Values from outside are escaped by JSON; credentials are never passed in. */
import { writeSync } from 'node:fs';

/** The log of the node. `fields` must be serializable as JSON and contain no credentials. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Discards every entry. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** The level numbers of pino and bunyan, so that tools for their logs can read this one. */
const LEVELS = { info: 30, warn: 40, error: 50, fatal: 60 } as const;
const STANDARD_ERROR = 2;

/**
 * Writes `{"level", "time" (ms since 1970), ...fields, "msg"}` synchronously, so that the last lines before the process
 * ends are not lost. A line that cannot be written is dropped: printing must not depend on a reader of the log.
 */
export function createLog(fd = STANDARD_ERROR): Logger & { fatal(fields: object, message: string): void } {
  const at = (level: keyof typeof LEVELS) => (fields: object, message: string) => {
    try {
      writeSync(fd, `${JSON.stringify({ level: LEVELS[level], time: Date.now(), ...fields, msg: message })}\n`);
    } catch {
      // Nobody reads the log, or its disk is full.
    }
  };
  return { debug() {}, info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') };
}
