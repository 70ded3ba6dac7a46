/** Describes how a process ended that was not stopped in order: in short, and without confidential data. */
import type { BootBinding } from '../../bindings/bindings.ts';
import type { BootEntry, CrashSummary } from './contract.ts';

const MAX_TEXT = 200;
const MAX_LINES = 10;
const ENDS: readonly string[] = ['crash', 'watchdog', 'out_of_memory', 'rollback'];

const short = (text: string, length = MAX_TEXT) => text.slice(0, length);

/** Folders of this machine say nothing; the file and the place in it do. */
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

/** What only the launcher saw. Undefined where the run before this one ended well, or was not seen. */
export function seenFromOutside(
  { reason, previous }: Pick<BootBinding, 'reason' | 'previous'>,
  before: BootEntry | undefined,
): CrashSummary | undefined {
  if (previous === undefined || !ENDS.includes(reason)) return undefined;
  return {
    reason: reason as CrashSummary['reason'],
    // After a rollback the run that ended was of an image that may never have come as far as its own log.
    ...(reason !== 'rollback' && before && { firmwareVersion: before.firmwareVersion, bootId: before.bootId }),
    uptimeSeconds: previous.uptimeSeconds,
    detail: short(previous.detail),
  };
}
