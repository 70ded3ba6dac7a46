/** Asks the questions at a terminal, one at a time. */
import { createInterface } from 'node:readline';
import { clean, paint, writeOut } from '../cli/terminal.ts';
import { answerFault } from './answers.ts';
import type { Host } from './certify.ts';
import { DO, type Question, SKIP } from './tour.ts';

/** Asks on standard input and output. Ctrl-C ends the process's command, as without a question. */
export const atTerminal: Pick<Host, 'ask'> = {
  async ask(question, signal) {
    writeOut(`\n${paint('bold', clean(question.text))}`);
    for (const [index, [, meaning]] of Object.entries(question.choices ?? {}).entries())
      writeOut(`  ${index + 1}  ${clean(meaning)}`);
    for (;;) {
      const answer = answerIn(question, await lineFrom(promptOf(question), signal));
      const fault = answerFault(question, answer);
      if (fault === undefined) return answer;
      writeOut(`The answer ${fault}.`);
    }
  },
};

/** How the answer may be typed: the number of a choice, its name, or nothing for the default. */
function answerIn({ choices, awaited, default: usual = '' }: Question, typed: string): string {
  if (awaited) return typed.toLowerCase().startsWith('s') ? SKIP : DO;
  if (typed === '') return usual;
  return Object.keys(choices ?? {})[Number(typed) - 1] ?? typed;
}

const promptOf = ({ choices, awaited, default: usual }: Question): string => {
  if (awaited) return '(waiting for the device; s and Enter skips it) ';
  const shown = choices === undefined ? usual : Object.keys(choices).indexOf(usual ?? '') + 1;
  return usual === undefined ? '> ' : `[${shown}] > `;
};

/** One line of standard input. Rejects with the reason of the signal, or where the input ends. */
function lineFrom(prompt: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    const stop = () => lines.close();
    lines.once('SIGINT', () => process.emit('SIGINT'));
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(signal.aborted ? signal.reason : new Error('the input ended before every question was answered'));
    });
    signal.addEventListener('abort', stop, { once: true });
    lines.question(prompt, (line) => {
      resolve(line.trim());
      lines.close();
    });
    if (signal.aborted) stop();
  });
}
