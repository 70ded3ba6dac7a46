// Runs a command that starts a twin, prints a receipt on it, and ends all of it as Ctrl-C does: `node try.mjs COMMAND [ARGUMENT]…`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const program = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
const exit = once(program, 'exit');
const url = await new Promise((resolve, reject) => {
  exit.then(([code, signal]) => reject(new Error(`${command} ended with ${code ?? signal}`)));
  createInterface({ input: program.stdout }).on('line', (line) => {
    if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
  });
});
const lines = [{ type: 'text', value: 'Grüße aus Kathmandu' }, { type: 'cut' }];
const body = JSON.stringify({ type: 'print', id: '1', endpoint: 'receipt', lines });
for (;;) {
  // The node is ready before its printer is plugged in.
  const answer = await (await fetch(`${url}/print`, { method: 'POST', body })).json();
  if (answer.ok) break;
  if (answer.error !== 'no_printer') throw new Error(JSON.stringify(answer));
}
console.log(await (await fetch(`${url}/twin/paper.txt`)).text());
process.kill(-program.pid, 'SIGINT');
await exit;
process.exit();
