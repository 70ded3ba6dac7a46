/** One JSON line per entry, on standard error. Values from outside are escaped by JSON; credentials are never passed in. */
import { writeSync } from 'node:fs';

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** The numbers that pino and bunyan gave to levels; tools that read their lines read these. */
const LEVELS = { info: 30, warn: 40, error: 50, fatal: 60 } as const;
const STANDARD_ERROR = 2;

/**
 * Writes `{"level", "time" (ms since 1970), ...fields, "msg"}` at once: what a process said last is there when it ends.
 * A line that standard error does not take is lost, for a node prints also where nobody reads its log.
 */
export function createLog(fd = STANDARD_ERROR): Logger & { fatal(fields: object, message: string): void } {
  const at = (level: keyof typeof LEVELS) => (fields: object, message: string) => {
    try {
      writeSync(fd, `${JSON.stringify({ level: LEVELS[level], time: Date.now(), ...fields, msg: message })}\n`);
    } catch {}
  };
  return { debug() {}, info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') };
}
