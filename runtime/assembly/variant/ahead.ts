/**
 * A program for the Node of an image: `ahead.mjs FOLDER STATE`. It runs the image, which finds nothing of this machine, as far as one
 * receipt and one status; then it writes what V8 has compiled of it.
 */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { BUNDLE, compiledIn, writeCompiled } from '../../image/compiled.ts';
import { AS_BUILT } from '../../kernel/v8-flags.ts';
import { seal } from './sealed.ts';

const RECEIPT = {
  type: 'print',
  id: 'first',
  endpoint: 'receipt',
  lines: [
    { type: 'text', value: 'Receipt', align: 'center', bold: true },
    { type: 'text', value: 'Tea 2.00' },
  ],
};

const STANDARD_OUTPUT = 1;
/** Behind the receipt; sooner than the node collects what its start has left (`COLLECT_MS` of runtime/main.ts). */
const SETTLED_MS = 700;

const [folder = '', state = ''] = process.argv.slice(2).map((path) => resolve(path));
// V8 writes it down, and nothing else here depends on the folder.
const { script } = compiledIn(folder, BUNDLE);
const run = script.runInThisContext() as (require: NodeJS.Require) => void;
await firstReceipt(state);
// What a start leaves for later has run then, too, and the file does not depend on how fast this machine is.
await delay(SETTLED_MS);
for (const flag of AS_BUILT) setFlagsFromString(flag);
writeCompiled(folder, script);
if (!compiledIn(folder).isAhead) throw new Error(`${folder}: V8 does not take what it has compiled itself`);
// The node has no other reason to end.
process.exit();

/** Runs the image until a receipt is printed. */
async function firstReceipt(directory: string): Promise<void> {
  const main = join(folder, 'main.js');
  const ports = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--ipp-port', '0'];
  process.argv = [process.execPath, main, ...ports, '--state', directory];
  const require = createRequire(main);
  seal([folder, directory]);
  const url = await new Promise<string>((give) => {
    let printed = '';
    const files = process.getBuiltinModule('node:fs');
    const { writeSync } = files;
    files.writeSync = (file: number, text: unknown, ...rest: unknown[]) => {
      if (file !== STANDARD_OUTPUT) return (writeSync as (...all: unknown[]) => number)(file, text, ...rest);
      printed += String(text);
      // The raw port is open as soon as the printer is there.
      const [, url] = /^ready (\S+)$[\s\S]*^raw /m.exec(printed) ?? [];
      if (url !== undefined) give(url);
      return 0;
    };
    run(require);
  });
  for (const [path, init] of [
    ['/print', { method: 'POST', body: JSON.stringify(RECEIPT) }],
    ['/status', {}],
  ] as const) {
    const response = await fetch(`${url}${path}`, init);
    const said = await response.text();
    // An image may have no printer, or two.
    if (said.includes('"invalid_command"')) throw new Error(`${path}: ${said}`);
  }
}
