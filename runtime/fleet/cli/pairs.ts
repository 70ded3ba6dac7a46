/** KEY=VALUE of the command line as what a request takes. */
import { isRecord } from '../../base/record.ts';
import { UsageError } from '../../cli/command.ts';

/**
 * The object that pairs stand for: `rules.offline.afterSeconds=300` goes in three deep. A value is JSON where it is (`300`, `true`,
 * `null`, `["1%","100%"]`, `"300"`), else text. Throws a UsageError.
 */
export function objectOf(pairs: readonly string[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, path, text] = /^([a-z]\w*(?:\.[a-z]\w*)*)=(.*)$/is.exec(pair) ?? [];
    if (path === undefined || text === undefined) throw new UsageError(`KEY=VALUE is expected, not ${pair}`);
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at = root;
    for (const key of keys) {
      const inner = Object.hasOwn(at, key) ? at[key] : {};
      if (!isRecord(inner)) throw new UsageError(`${path} is within a value`);
      at[key] = inner;
      at = inner;
    }
    if (Object.hasOwn(at, last)) throw new UsageError(`${path} stands there twice`);
    at[last] = read(text);
  }
  return root;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The query that pairs stand for; values as they are. Throws a UsageError. */
export const queryOf = (pairs: readonly string[]): URLSearchParams =>
  new URLSearchParams(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`KEY=VALUE is expected, not ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
