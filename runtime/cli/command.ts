/** What a command of the command line is, its exit codes and its error messages. */
import type { NodeClient, NodeError } from '../client/client.ts';
import { clean, json, writeOut } from './terminal.ts';

/** What a command gets: the client and the options of the command line. */
export interface CliContext {
  readonly client: NodeClient;
  /** Base URL of the node. */
  readonly url: string;
  /** Output for programs: one JSON document, or a line of JSON for each event. */
  readonly json: boolean;
  /** Seconds; undefined if not given. */
  readonly timeout: number | undefined;
  /** Values of all options, including those of this command. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** One command. `run` rejects with a NodeError if the node refuses, a UsageError, or a TypeError, if the arguments are wrong. */
export interface CliCommand {
  /** Arguments of the command, for the usage message. */
  readonly usage: string;
  readonly summary: string;
  /** Number of arguments, or the least and the largest number; default 0. */
  readonly positionals?: number | readonly [least: number, largest: number];
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  run(context: CliContext, positionals: readonly string[]): Promise<void>;
}

/** Exit codes of the command line. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, unknown: 4 } as const;

/** The arguments are wrong; the message says how. */
export class UsageError extends Error {}

const ADVICE = {
  no: 'Trying again does not help until the cause is removed.',
  yes: 'Try again in a moment.',
  sometimes: 'Check the state of the node before you try again.',
} as const;

/** Writes one line to standard error: what failed, and what to do. */
export const complain = (line: string): void => void process.stderr.write(`tillnode: ${clean(line)}\n`);

/** Says what failed and what to do (with `--json` also on standard output); returns the exit code. */
export function tell({ code, status, detail, retry, meaning, mayHavePrinted }: NodeError, context: CliContext): number {
  if (context.json) writeOut(json({ ok: false, error: code, status, detail, retry, mayHavePrinted }));
  const noNode = code === 'unreachable' || code === 'bad_answer';
  const what =
    code === 'bad_answer'
      ? `${context.url} is not a tillnode node`
      : `${code}: ${noNode ? `no response of a node at ${context.url}` : (meaning ?? 'the node refused')}`;
  const proxy = noNode ? proxyOf(new URL(context.url), process.env) : undefined;
  if (proxy !== undefined) {
    const { hostname } = new URL(context.url);
    complain(`${what}: asked through the proxy ${proxy}. NO_PROXY=${hostname} goes past it.`);
    return EXIT.unreachable;
  }
  const advice = mayHavePrinted ? 'It may have printed: look at the paper before you send it again.' : ADVICE[retry];
  complain(`${what}${detail ? ` (${detail})` : ''}. ${advice}`);
  return mayHavePrinted ? EXIT.unknown : noNode ? EXIT.unreachable : EXIT.refused;
}

/**
 * The proxy that Node asks for this URL, as its variable names it, without user and password; undefined where it asks none. From
 * 22.21 and 24 on, Node does where NODE_USE_ENV_PROXY or `--use-env-proxy` say so; `knows`: whether this one does.
 */
export function proxyOf(
  url: URL,
  env: NodeJS.ProcessEnv,
  knows = process.allowedNodeEnvironmentFlags.has('--use-env-proxy'),
): string | undefined {
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1' || env['NODE_OPTIONS']?.includes('--use-env-proxy') === true;
  const of = (name: string) => env[name] || env[name.toUpperCase()];
  const proxy = of(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? '';
  if (!knows || !isUsed || !URL.canParse(proxy)) return undefined;
  const past = (of('no_proxy') ?? '').split(',').map((each) => each.trim());
  return ['*', url.hostname, url.host].some((each) => past.includes(each)) ? undefined : new URL(proxy).origin;
}
