/** `tillnode jobs`: what was printed and kicked lately, for whom, and what came of it. */
import type { Command } from '../../cli/command.ts';
import { clean, json, paint, say, table } from '../../cli/terminal.ts';

const OUTCOME = { running: 'dim', unconfirmed: 'yellow', partial: 'red', failed: 'red' } as const;

const HEAD = ['began', 'job', 'at', 'from', 'outcome', 'why', 'bytes', 'took', 'id'];

const seconds = (ms: number): string => `${(Number(ms) / 1000).toFixed(1)} s`;

const jobs: Command = {
  usage: '',
  summary: 'the last 50 jobs, newest first: who printed, and what came of it',
  async run(context) {
    const answer = await context.client.jobs(context);
    if (context.json) return say(json(answer));
    if (answer.jobs.length === 0) return say('nothing was printed since the node was started');
    const now = Date.now();
    const rows = answer.jobs.map(({ id, kind, endpoint, from, outcome, error, bytes, startedAgoMs, ms }) => [
      new Date(now - Number(startedAgoMs)).toLocaleTimeString('en-GB'),
      ...[kind, endpoint, from, outcome, error, bytes].map(clean),
      seconds(ms),
      clean(id),
    ]);
    const text = table(HEAD, rows);
    say(
      text.replaceAll(/ (running|unconfirmed|partial|failed)\b/g, (all, word) =>
        paint(OUTCOME[word as 'running'], all),
      ),
    );
    if (answer.jobs.some(({ outcome }) => outcome === 'partial'))
      say('\npartial: it may have printed; look at the paper before you send it again.');
  },
};

export const commands = { jobs };
