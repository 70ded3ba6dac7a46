/**
 * Runs nmcli, the client of NetworkManager, and parses its terse output (nmcli(1), OUTPUT FORMATTING). A secret is passed
 * on its standard input only.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { RadioError, type RadioFault } from '../network.ts';

const PROGRAM = 'nmcli';
const MAX_OUTPUT_BYTES = 256 * 1024;
const DETAIL_CHARACTERS = 200;
/** The detail of the error where there is no such program. */
export const NOT_INSTALLED = `${PROGRAM} is not installed`;

/** Environment of nmcli: messages in English, and no home directory, where the connection editor stores its history. */
const nmcliEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C', HOME: '/dev/null' });

/** Options of one run of nmcli. */
export interface NmcliOptions {
  /** The program is killed after this time. */
  readonly timeoutMs: number;
  /** Standard input of the program. If given, errors contain no text of the program, which may repeat a secret. */
  readonly input?: string;
  /** One more argument, after the others, that is not UTF-8; without NUL. */
  readonly last?: Uint8Array;
}

/** Node passes strings alone: sh(1) makes the argument of octal digits (printf(1)), and becomes nmcli. */
const WITH_BYTES = `last=$(printf "$1"); shift; exec ${PROGRAM} "$@" "$last"`;
const octal = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** Runs nmcli and resolves with its standard output. Rejects with a RadioError, at its deadline at the latest. */
export function nmcli(args: readonly string[], { timeoutMs, input, last }: NmcliOptions): Promise<string> {
  const [program, words] =
    last === undefined ? [PROGRAM, args] : ['/bin/sh', ['-c', WITH_BYTES, 'sh', octal(last), ...args]];
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(program, words, { ...limits, env: nmcliEnvironment() }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const fault = faultOf(error, stderr);
      reject(new RadioError(fault, input === undefined ? detailOf(error, stderr) : undefined));
    });
    // If the program is missing or ends early, this fails; the callback reports why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

/** Exit statuses of nmcli(1) that have a fault of their own. */
const EXIT_FAULTS: Readonly<Record<number, RadioFault>> = { 3: 'timeout', 8: 'unmanaged' };

/** Error messages of nmcli: why a connection was not established, or why it is not permitted. */
const REASONS: readonly (readonly [RegExp, RadioFault])[] = [
  [/Secrets were required/, 'wrong_password'],
  [/network could not be found/, 'no_network'],
  [/IP configuration could not be reserved|IP configuration is no longer valid|DHCP client/, 'no_address'],
  [/took too long to authenticate/, 'timeout'],
  [/[Ii]nsufficient privileges|[Nn]ot authorized|Could not create NMClient/, 'unmanaged'],
];

function faultOf({ code, killed }: ExecFileException, stderr: string): RadioFault {
  if (code === 'ENOENT' || code === 'EACCES') return 'unmanaged';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'failed';
  if (killed) return 'timeout';
  const reason = REASONS.find(([pattern]) => pattern.test(stderr))?.[1];
  return reason ?? EXIT_FAULTS[Number(code)] ?? 'failed';
}

function detailOf({ code, signal, killed }: ExecFileException, stderr: string): string {
  if (code === 'ENOENT') return NOT_INSTALLED;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `${PROGRAM} printed too much`;
  if (killed) return `${PROGRAM} did not end in time`;
  const [, message = stderr.trim()] = /^Error: (.*)$/m.exec(stderr) ?? [];
  return (message || `${PROGRAM} ended with ${signal ?? code}`).slice(0, DETAIL_CHARACTERS);
}

/** Parses tabular output: one line per row, fields separated by colons; `\` escapes a colon or backslash in a field. */
export const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = [''];
      for (const [token, escaped] of line.matchAll(/\\(.)|./gu)) {
        if (token === ':') fields.push('');
        else fields.push(`${fields.pop()}${escaped ?? token}`);
      }
      return fields;
    });

/** Parses the output of `device show`: lines `NAME:value`, nothing escaped; an empty line separates two devices. */
export const blocksOf = (text: string): ReadonlyMap<string, string>[] =>
  text
    .split(/\n\n+/)
    .map((block) => new Map(block.split('\n').flatMap((line) => pairOf(line))))
    .filter(({ size }) => size > 0);

function pairOf(line: string): [string, string][] {
  const colon = line.indexOf(':');
  return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
}
