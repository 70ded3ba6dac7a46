#!/usr/bin/env node
/** The entry of the command line: runs a command on a node, or starts the twin. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commands } from 'virtual:commands';
import { defaults, forPeople, version } from 'virtual:defaults';
import { parseOptions, portOptions } from '../boot/options.ts';
import { holderOf, isTaken } from '../boot/port.ts';
import { NodeClient, NodeError } from '../client/client.ts';
import { fetchOf } from './answers.ts';
import { type CliCommand, type CliContext, complain, EXIT, tell, UsageError } from './command.ts';
import { completionOf } from './completion.ts';
import { commandHelp, DEFAULT_URL, helpOf, TWIN_HELP, usageOfCommand } from './help.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

const COMMANDS: Readonly<Record<string, CliCommand>> = { status, ...commands, watch };
const GLOBAL = {
  node: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
const LONGEST_SECONDS = 3600;

/** Finds the command. Options that every command has may precede it. */
function commandIn(args: readonly string[]): { readonly name: string | undefined; readonly rest: readonly string[] } {
  let at = 0;
  while (/^--(node|timeout|json)(=|$)/.test(args[at] ?? '')) at += /^--(node|timeout)$/.test(args[at] ?? '') ? 2 : 1;
  const name = args[at];
  if (name === undefined || name.startsWith('-')) return { name: undefined, rest: args };
  return { name, rest: [...args.slice(0, at), ...args.slice(at + 1)] };
}

/** A URL, or what can stand behind `http://`: `till.local`, `192.168.1.20:8080`, `[fe80::1]:80`. */
function nodeUrl(text: string): string {
  const whole = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) && /^https?:\/\//i.test(whole) ? new URL(whole) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    throw new UsageError(
      '--node takes HOST:PORT, or a URL such as http://node-1a2b3c4d.local, without user or password',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function secondsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds === 0 || seconds > LONGEST_SECONDS) {
    throw new UsageError(`--timeout takes seconds, more than 0 and at most ${LONGEST_SECONDS}`);
  }
  return seconds;
}

async function run(name: string, command: CliCommand, args: readonly string[]): Promise<number> {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort());
  let context: CliContext | undefined;
  try {
    const { values, positionals } = parse(command, args);
    if (values['help'] === true) {
      process.stdout.write(commandHelp(name, command));
      return EXIT.done;
    }
    const { positionals: count = 0 } = command;
    const [least, largest] = typeof count === 'number' ? [count, count] : count;
    if (positionals.length < least || positionals.length > largest)
      throw new UsageError(`usage: ${usageOfCommand(name, command)}`);
    const url = nodeUrl((values['node'] as string | undefined) ?? (process.env['TILLNODE_URL'] || DEFAULT_URL));
    const timeout = secondsIn(values['timeout'] as string | undefined);
    const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
    const { TILLNODE_API_KEY, TILLNODE_UPDATE_KEY } = process.env as Readonly<Record<string, string | undefined>>;
    const keys = { apiKey: TILLNODE_API_KEY || undefined, updateKey: TILLNODE_UPDATE_KEY || undefined };
    const client = new NodeClient({ url, ...keys, timeoutMs, fetch: fetchOf(url) });
    context = { client, url, timeout, values, json: values['json'] === true, signal: controller.signal };
    await command.run(context, positionals);
    return EXIT.done;
  } catch (error) {
    if (error instanceof NodeError && context !== undefined) return tell(error, context);
    if (controller.signal.aborted) return EXIT.unknown;
    complain((error as Error).message);
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.unreachable;
  }
}

function parse(command: CliCommand, args: readonly string[]) {
  // What Node puts in place of bytes that are not UTF-8: what was meant is lost.
  if (args.some((argument) => argument.includes('\ufffd'))) throw new UsageError('an argument is not UTF-8');
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...GLOBAL, ...command.options } });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A message about the first port that another program uses. (The launcher would wait for it, without a limit.) */
async function takenPort(args: readonly string[]): Promise<string | undefined> {
  const { host, port, needed } = parseOptions(args, defaults, { factory: true });
  for (const [option, number] of [['port', port] as const, ...needed]) {
    if (await isTaken(host, number))
      return `${host}:${number} is used by ${holderOf(number) ?? 'another program'}; choose another port with --${option} P`;
  }
  return undefined;
}

/** Starts the launcher in this process, so that it gets the signals and reports unknown options itself. */
async function twin(args: readonly string[]): Promise<void> {
  const taken = await takenPort(args).catch(() => undefined);
  if (taken !== undefined) {
    complain(taken);
    process.exitCode = EXIT.usage;
    return;
  }
  const launcher = new URL('./launcher.js', import.meta.url);
  process.argv = [process.execPath, fileURLToPath(launcher), ...args];
  await import(launcher.href);
}

/** Programs beside this one, by the commands that they have: each reads its own options. */
const PROGRAMS: Readonly<Record<string, 'author' | 'pull'>> = forPeople
  ? { pull: 'pull', new: 'author', build: 'author' }
  : {};

/** Starts such a program in this process. Those with several commands are told which. */
async function start(command: string, args: readonly string[]): Promise<void> {
  const name = PROGRAMS[command];
  const program = new URL(`./${name}.js`, import.meta.url);
  process.argv = [process.execPath, fileURLToPath(program), ...(name === command ? [] : [command]), ...args];
  await import(program.href);
}

/** By command, the options that it takes; those of the programs beside this one are what their own help names. */
function words(): Readonly<Record<string, readonly string[]>> {
  const listed = (names: readonly string[]) => names.map((each) => `--${each}`);
  const own = Object.entries(COMMANDS).map(([name, { options }]) => [
    name,
    listed(Object.keys({ ...GLOBAL, ...options })),
  ]);
  const twin = ['host', 'port', ...portOptions(defaults).map(([option]) => option), 'state', 'appliance', 'help'];
  const programs = Object.entries(PROGRAMS).map(([name, file]) => {
    const help = execFileSync(process.execPath, [
      fileURLToPath(new URL(`./${file}.js`, import.meta.url)),
      name,
      '--help',
    ]);
    const options = [...new Set(String(help).match(/--[a-z][a-z-]*/g)), '--help'];
    return [name, name === 'new' ? ['plugin', ...options] : options];
  });
  return Object.fromEntries([
    ...own,
    ['help', []],
    ['completion', []],
    ...(forPeople ? [['twin', listed(twin)], ...programs] : []),
  ]);
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has ended, as in `tillnode watch | head`.
  if (error.code === 'EPIPE') process.exit();
  complain(`standard output: ${error.message}`);
  process.exit(EXIT.usage);
});

/** `help NAME` is `NAME --help`. */
function asked(): ReturnType<typeof commandIn> {
  const said = commandIn(process.argv.slice(2));
  const topic = said.name === 'help' ? commandIn(said.rest).name : undefined;
  return topic === undefined ? said : { name: topic, rest: ['--help'] };
}

const { name, rest } = asked();
const isHelp = rest.some((each) => each === '--help' || each === '-h');
const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name ?? ''] : undefined;
if (name !== undefined && command !== undefined) process.exitCode = await run(name, command, rest);
else if (name !== undefined && Object.hasOwn(PROGRAMS, name)) await start(name, rest);
else if (name === 'completion' && !isHelp) process.stdout.write(completionOf(words()));
else if (forPeople && name === 'twin' && isHelp) process.stdout.write(TWIN_HELP);
else if (name === 'help' || name === 'completion' || (name === undefined && isHelp))
  process.stdout.write(helpOf(COMMANDS));
else if (name === undefined && rest[0] === '--version') process.stdout.write(`${version}\n`);
else if (forPeople && (name === undefined || name === 'twin')) await twin(rest);
else if (name === undefined && rest.length === 0) process.stdout.write(helpOf(COMMANDS));
else {
  complain(`there is no command ${JSON.stringify(name ?? rest[0])}; tillnode help names those that there are`);
  process.exitCode = EXIT.usage;
}
