/** What a command is, and the words it has in common with the others. */
import type { NodeClient, NodeError } from '../client/client.ts';
import { clean, json, say } from './terminal.ts';

export interface Context {
  readonly client: NodeClient;
  /** Base URL of the node. */
  readonly url: string;
  /** For programs: one JSON document, or a line of JSON for each event. */
  readonly json: boolean;
  /** Seconds, where they were given. */
  readonly timeout: number | undefined;
  /** Of this command alone. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Command {
  /** What follows its name in the usage. */
  readonly usage: string;
  readonly summary: string;
  /** Arguments it takes, exactly. */
  readonly positionals?: number;
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  run(context: Context, positionals: readonly string[]): Promise<void>;
}

export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, unknown: 4 } as const;

/** It was called wrongly. */
export class UsageError extends Error {}

const ADVICE = {
  no: 'Asking again changes nothing until that does.',
  yes: 'Try again in a moment.',
  sometimes: 'Look at how things stand before you try again.',
} as const;

/** Tells what went wrong and what to do; returns the exit code. */
export function tell({ code, status, detail, retry, meaning, mayHavePrinted }: NodeError, context: Context): number {
  if (context.json) say(json({ ok: false, error: code, status, detail, retry, mayHavePrinted }));
  const unreachable = code === 'unreachable' || code === 'bad_answer';
  const what = unreachable ? `no answer of a node from ${context.url}` : (meaning ?? 'the node refused');
  const advice = mayHavePrinted ? 'It may have printed: look at the paper before you send it again.' : ADVICE[retry];
  process.stderr.write(`tillnode: ${clean(`${code}: ${what}${detail ? ` (${detail})` : ''}`)}\n${advice}\n`);
  return mayHavePrinted ? EXIT.unknown : unreachable ? EXIT.unreachable : EXIT.refused;
}
