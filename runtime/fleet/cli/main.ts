#!/usr/bin/env node
/** `tillnode-fleet [--fleet URL] [--json] COMMAND`: asks a fleet, with a token that stands in the environment. */
import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { defined } from '../../base/defined.ts';
import { messageOf } from '../../base/thrown.ts';
import { EXIT, UsageError } from '../../cli/command.ts';
import { clean, json, writeOut } from '../../cli/terminal.ts';
import { COMMANDS, commandOf, type FleetCommand } from './commands.ts';
import { objectOf, queryOf } from './pairs.ts';
import { textOf } from './text.ts';

const DEFAULT_URL = 'http://127.0.0.1:8090';
const SECONDS = 60;
/** An image of many megabytes may take long on a slow line, and so may everything of a site. */
const LONG_SECONDS = 1800;
const WIDTH = 22;

const HELP = `usage: tillnode-fleet [--fleet URL] [--json] COMMAND [KEY=VALUE…]

${COMMANDS.map(({ usage, summary }) => `  ${usage.padEnd(WIDTH)}${summary}`).join('\n')}

  --fleet URL       default: TILLNODE_FLEET_URL, else ${DEFAULT_URL}
  --timeout SECONDS how long to wait for an answer; default ${SECONDS}, with files ${LONG_SECONDS}
  --json            the answer as one line of JSON
  --help

A value is JSON where it is, else text: groups='["tag:pilot","100%"]' site=Graz mutedUntil=null.
The token is read from TILLNODE_FLEET_TOKEN: the master token, or one of token make.

Exit codes: 0 done, 1 refused by the fleet, 2 wrong arguments, 3 the fleet cannot be reached.
`;

/** No answer of a fleet. */
class Unreachable extends Error {}

interface Asking {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number | undefined;
}

async function ask({ url, token, timeoutMs }: Asking, words: readonly string[]): Promise<Response> {
  const found = commandOf(words);
  if (found === undefined)
    throw new UsageError(`there is no command ${words.join(' ')}; --help names those that there are`);
  const { command, parameters, rest } = found;
  const { method, takes, path } = command;
  if (takes === undefined && rest.length > 0) throw new UsageError(`usage: tillnode-fleet ${command.usage}`);
  const ofFile = takes === 'file' || takes === 'text' ? parameters : [];
  const ofPath = [...(ofFile.length > 0 ? [] : parameters)];
  const step = ofPath.find((each) => /^\.{0,2}$/.test(each));
  // Every client takes it out of a path, which is then another one.
  if (step !== undefined) throw new UsageError(`"${step}" is the name of nothing`);
  const target = path.replace(/:\w+/g, () => encodeURIComponent(ofPath.shift() ?? ''));
  const query = method === 'GET' && rest.length > 0 ? `?${queryOf(rest)}` : '';
  const body = method === 'GET' ? undefined : await bodyOf(command, ofFile[0] ?? '', rest);
  const seconds = takes === 'file' || path.endsWith('/export') ? LONG_SECONDS : SECONDS;
  return fetch(`${url}${target}${query}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs ?? seconds * 1000),
    ...defined({ body }),
  }).catch((error: Error) => {
    throw new Unreachable(`no answer of a fleet at ${url} (${messageOf(error.cause ?? error)})`);
  });
}

async function bodyOf(
  { takes }: FleetCommand,
  file: string,
  pairs: readonly string[],
): Promise<Blob | string | undefined> {
  if (takes === undefined) return undefined;
  if (takes === 'pairs') return JSON.stringify(objectOf(pairs));
  try {
    if (takes === 'file') return await openAsBlob(file);
    return JSON.stringify({ ...objectOf(pairs), text: await readFile(file, 'utf8') });
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(messageOf(error));
  }
}

/** Writes the answer to standard output; resolves with the exit code. */
async function show(response: Response, asJson: boolean): Promise<number> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && !type.includes('/json') && response.body !== null) {
    // As it comes: it may be longer than the memory is.
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream('', { fd: 1, autoClose: false }));
    return EXIT.done;
  }
  const answer: unknown = response.status === 204 ? { ok: true } : await response.json().catch(() => undefined);
  if (answer === undefined) throw new Unreachable('this is no answer of a fleet');
  if (asJson) writeOut(json(answer));
  else if (response.ok) writeOut(response.status === 204 ? 'done' : textOf(answer));
  if (response.ok) return EXIT.done;
  const { error = response.status, detail } = answer as { readonly error?: string; readonly detail?: string };
  complain(`${error}${detail === undefined ? '' : `: ${detail}`}`);
  return EXIT.refused;
}

const complain = (line: string): void => void process.stderr.write(`tillnode-fleet: ${clean(line)}\n`);

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError('--fleet takes a URL such as https://fleet.example.org, without user or password');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function optionsOf(args: readonly string[]) {
  const options = { fleet: { type: 'string' }, timeout: { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = optionsOf(args);
  if (values.help === true || positionals.length === 0) {
    process.stdout.write(HELP);
    return values.help === true ? EXIT.done : EXIT.usage;
  }
  const timeout = values.timeout === undefined ? undefined : Number(values.timeout);
  if (timeout !== undefined && !(timeout > 0 && timeout <= LONG_SECONDS))
    throw new UsageError(`--timeout takes seconds, at most ${LONG_SECONDS}`);
  const token = env['TILLNODE_FLEET_TOKEN'] ?? '';
  if (token === '') throw new UsageError('TILLNODE_FLEET_TOKEN is not set');
  const url = urlOf(values.fleet ?? (env['TILLNODE_FLEET_URL'] || DEFAULT_URL));
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  return show(await ask({ url, token, timeoutMs }, positionals), values.json === true);
}

run(process.argv.slice(2), process.env).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    complain(messageOf(error));
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.unreachable;
  },
);
