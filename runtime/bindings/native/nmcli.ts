/**
 * Runs NetworkManager's own client and reads its terse output (nmcli(1), OUTPUT FORMATTING). Never by a shell; a secret
 * goes to its standard input and nowhere else.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { RadioError, type RadioFault } from '../bindings.ts';

const PROGRAM = 'nmcli';
const MAX_OUTPUT_BYTES = 256 * 1024;
const DETAIL_CHARACTERS = 200;

/** Messages in English; and no home, because the connection editor keeps a history of what it was told there. */
export const nmcliEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C', HOME: '/dev/null' });

export interface NmcliOptions {
  readonly timeoutMs: number;
  /** What is typed. With it, nothing that the program says gets into an error. */
  readonly input?: string;
}

/** What it prints. Rejects with a RadioError, by its deadline at the latest. */
export function nmcli(args: readonly string[], { timeoutMs, input }: NmcliOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(PROGRAM, args, { ...limits, env: nmcliEnvironment() }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const fault = faultOf(error, stderr);
      reject(new RadioError(fault, input === undefined ? detailOf(error, stderr) : undefined));
    });
    // A program that is missing, or ends early, reads nothing; its callback says so.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

/** Exit statuses of nmcli(1). */
const EXIT_FAULTS: Readonly<Record<number, RadioFault>> = { 3: 'timeout', 8: 'unmanaged' };

/** Reasons that nmcli gives for a connection that did not come up, and for not being let. */
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
  if (code === 'ENOENT') return `${PROGRAM} is not installed`;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `${PROGRAM} says too much`;
  if (killed) return `${PROGRAM} does not end`;
  const [, message = stderr.trim()] = /^Error: (.*)$/m.exec(stderr) ?? [];
  return (message || `${PROGRAM} ended with ${signal ?? code}`).slice(0, DETAIL_CHARACTERS);
}

/** Tabular output: a line each row, fields between colons; a colon or backslash in a field stands after a backslash. */
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

/** Output of `device show`: `NAME:value` lines, nothing escaped; an empty line between two devices. */
export const blocksOf = (text: string): ReadonlyMap<string, string>[] =>
  text
    .split(/\n\n+/)
    .map((block) => new Map(block.split('\n').flatMap((line) => pairOf(line))))
    .filter(({ size }) => size > 0);

function pairOf(line: string): [string, string][] {
  const colon = line.indexOf(':');
  return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
}
