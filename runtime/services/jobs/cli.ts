/** `tillnode jobs`: what was printed and kicked lately, for whom, and what came of it. */
import type { Command } from '../../cli/command.ts';
import { clean, json, paint, say, table } from '../../cli/terminal.ts';
import type { RecentJob } from './contract.ts';

const OUTCOME = { running: 'dim', unconfirmed: 'yellow', partial: 'red', failed: 'red' } as const;

const HEAD = ['began', 'job', 'at', 'from', 'outcome', 'why', 'bytes', 'took', 'id'];

/** Why it failed, and what of it was not passed on. */
const why = ({ error, missingBytes, language, pulsesDropped }: RecentJob): string =>
  [
    clean(error),
    missingBytes && `ended inside a command, ${Number(missingBytes)} or more bytes missing`,
    clean(language),
    pulsesDropped && `${Number(pulsesDropped)} drawer openings not passed on`,
  ]
    .filter(Boolean)
    .join('; ');

const seconds = (ms: number): string => `${(Number(ms) / 1000).toFixed(1)} s`;

const jobs: Command = {
  usage: '',
  summary: 'the last 50 jobs, newest first: who printed, and what came of it',
  async run(context) {
    const answer = await context.client.jobs(context);
    if (context.json) return say(json(answer));
    if (answer.jobs.length === 0) return say('nothing was printed since the node was started');
    const now = Date.now();
    const rows = answer.jobs.map((job) => [
      new Date(now - Number(job.startedAgoMs)).toLocaleTimeString('en-GB'),
      ...[job.kind, job.endpoint, job.from, job.outcome, why(job), job.bytes].map(clean),
      seconds(job.ms),
      clean(job.id),
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
