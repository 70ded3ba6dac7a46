/** `tillnode pull`: asks hosted tills for receipts, as the printers do that they know, and prints them on a node. */
import './lean-start.ts';
import { clean } from '../cli/terminal.ts';
import { useLeanHeaders } from './lean-fetch.ts';
import { OptionError, readOptions, USAGE } from './options.ts';
import { pull, StateError } from './pull.ts';
import { tidier } from './tidy.ts';

/** What is wrong in the options is wrong at the next start, too: its unit starts it again after other ends alone. */
const EX_USAGE = 2;
const EX_AGAIN = 1;

useLeanHeaders();
const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort());
// Whoever read its words may be gone (`| head`): receipts are printed all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const log = (line: string): void => void process.stderr.write(`tillnode pull: ${clean(line)}\n`);

try {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(USAGE);
  else {
    const options = readOptions(args, process.env);
    const ready = () => void process.stdout.write('ready\n');
    await pull(options, { log, ready, ...tidier() }, controller.signal);
  }
} catch (error) {
  if (!(error instanceof OptionError || error instanceof StateError)) throw error;
  log(error.message);
  process.exitCode = error instanceof OptionError ? EX_USAGE : EX_AGAIN;
}
