/** What the command line says of itself: all of it, or one command. */
import { defaults, forPeople } from 'virtual:defaults';
import { usageOf } from '../boot/options.ts';
import type { CliCommand } from './command.ts';

/** Width of the first column. */
const WIDTH = 22;
const row = (name: string, what: string) => `  ${name.padEnd(WIDTH)}${what}\n`;

/** The node that this command line came with. */
export const DEFAULT_URL = new URL(`http://127.0.0.1:${defaults.port}`).origin;

const GLOBAL = `  --node NODE       the node, a URL or HOST:PORT; default: TILLNODE_URL, else ${DEFAULT_URL}
  --timeout SECONDS how long to wait for a response
  --json            one JSON document, or a line of JSON for each event
`;

const PROGRAMS = [
  row('twin', 'start the twin under its launcher; also without a command'),
  row('', usageOf(defaults)),
  row('pull', 'print what a hosted till has for an Epson or Star printer; pull --help'),
  row('new plugin NAME', 'write a plugin to begin with, for a kind of device that nobody drives; new --help'),
  row('build --with DIR', 'build an image that has it; build --help'),
].join('');

/** The help of the program: every command. */
export const helpOf = (commands: Readonly<Record<string, CliCommand>>): string => `usage: tillnode [COMMAND] [options]

${Object.entries(commands)
  .map(([name, { usage, summary }]) => row(`${name} ${usage}`, summary))
  .join(
    '',
  )}${row('completion', 'what completes these words in bash: eval "$(tillnode completion)"')}${forPeople ? PROGRAMS : ''}
${GLOBAL}  --help, --version; also the command help, and a command with --help

The API key, if the node requires one, is read from TILLNODE_API_KEY, the update key from TILLNODE_UPDATE_KEY.

Exit codes: 0 done, 1 refused by the node, 2 wrong arguments, 3 the node cannot be reached,
4 the outcome is unknown: it may have printed.
`;

/** Usage of one command. */
export function usageOfCommand(name: string, { usage, options = {} }: CliCommand): string {
  const own = Object.entries(options).map(([option, { type }]) => `[--${option}${type === 'string' ? ' VALUE' : ''}]`);
  return ['tillnode', name, usage, ...own].filter((word) => word !== '').join(' ');
}

/** The help of one command. */
export const commandHelp = (name: string, command: CliCommand): string =>
  `usage: ${usageOfCommand(name, command)} [--node NODE] [--timeout SECONDS] [--json]

  ${command.summary.replaceAll(/\n +/g, '\n  ')}

${GLOBAL}
tillnode help names every command, the keys and the exit codes.
`;

/** The help of the twin. */
export const TWIN_HELP = `usage: tillnode [twin] ${usageOf(defaults)}

  starts the twin under its launcher, until Ctrl-C. A port of 0 is any free one; --state is the folder of its settings
`;
