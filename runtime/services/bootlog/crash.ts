/** Describes how a process ended that was not stopped in order: in short, and without confidential data. */
import type { BootBinding } from '../../bindings/boot.ts';
import type { BootEntry, CrashSummary } from './contract.ts';

const MAX_TEXT = 200;
const MAX_LINES = 10;
const ENDS: readonly string[] = ['crash', 'watchdog', 'out_of_memory', 'rollback'];

const short = (text: string, length = MAX_TEXT) => text.slice(0, length);

/** Removes folders from a line of a stack: the file and the position in it are enough. */
const withoutFolders = (line: string) => line.replace(/(^at (?:async )?|\()(?:file:\/\/)?\/.*\//, '$1');

/** Describes an uncaught exception, usually an Error. */
export function crashOf(thrown: unknown, { bootId, firmwareVersion }: BootEntry, uptimeSeconds: number): CrashSummary {
  const { name, message, stack } = thrown instanceof Error ? thrown : { name: '', message: String(thrown), stack: '' };
  return {
    reason: 'uncaught_error',
    firmwareVersion,
    bootId,
    uptimeSeconds,
    time: new Date().toISOString(),
    name: short(String(name), 64),
    message: short(String(message)),
    stack: String(stack)
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, MAX_LINES)
      .map((line) => short(withoutFolders(line.trim()))),
  };
}

/**
 * Describes a crash that the launcher observed. `before`: the previous run in the log. Undefined if the previous run
 * was stopped in order or its end was not observed.
 */
export function seenFromOutside(
  { reason, previous }: Pick<BootBinding, 'reason' | 'previous'>,
  before: BootEntry | undefined,
): CrashSummary | undefined {
  if (previous === undefined || !ENDS.includes(reason)) return undefined;
  return {
    reason: reason as CrashSummary['reason'],
    // After a rollback, the failed image may have ended before it wrote the log: `before` may be another run.
    ...(reason !== 'rollback' && before && { firmwareVersion: before.firmwareVersion, bootId: before.bootId }),
    uptimeSeconds: previous.uptimeSeconds,
    detail: short(previous.detail),
  };
}
