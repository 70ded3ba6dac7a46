/** `tillnode jobs`: what was printed and kicked lately, for whom, and what came of it; `tillnode settle`: what the paper shows. */
import { type CliCommand, UsageError } from '../../cli/command.ts';
import { clean, json, paint, table, writeOut } from '../../cli/terminal.ts';
import type { RecentJob } from './contract.ts';

const OUTCOME = { running: 'dim', unconfirmed: 'yellow', uncertain: 'red', partial: 'red', failed: 'red' } as const;

const HEAD = ['began', 'job', 'at', 'from', 'outcome', 'why', 'bytes', 'took', 'id'];

/** Why it failed, and what of it was not passed on. */
const why = ({ outcome, settled, error, missingBytes, language, pulsesDropped }: RecentJob): string =>
  [
    clean(error ?? (outcome === 'uncertain' ? 'the node stopped before it ended' : '')),
    settled && 'somebody looked at the paper',
    missingBytes && `ended inside a command, ${Number(missingBytes)} or more bytes missing`,
    clean(language),
    pulsesDropped && `${Number(pulsesDropped)} drawer openings not passed on`,
  ]
    .filter(Boolean)
    .join('; ');

/** How far it came. */
const bytes = ({ bytes, totalBytes }: RecentJob): string =>
  totalBytes === undefined ? `${Number(bytes)}` : `${Number(bytes)} of ${Number(totalBytes)}`;

const seconds = (ms: number): string => `${(Number(ms) / 1000).toFixed(1)} s`;

const jobs: CliCommand = {
  usage: '',
  summary: 'the last 50 jobs, newest first: who printed, and what came of it',
  async run(context) {
    const answer = await context.client.jobs(context);
    if (context.json) return writeOut(json(answer));
    if (answer.jobs.length === 0) return writeOut('nothing was printed since the node was started');
    const now = Date.now();
    const rows = answer.jobs.map((job) => [
      new Date(now - Number(job.startedAgoMs)).toLocaleTimeString('en-GB'),
      ...[job.kind, job.endpoint, job.from, job.outcome, why(job), bytes(job)].map(clean),
      seconds(job.ms),
      clean(job.id),
    ]);
    const text = table(HEAD, rows);
    writeOut(
      text.replaceAll(/ (running|unconfirmed|uncertain|partial|failed)\b/g, (all, word) =>
        paint(OUTCOME[word as 'running'], all),
      ),
    );
    const uncertain = answer.jobs.filter(({ outcome }) => outcome === 'uncertain');
    if (uncertain.length > 0)
      writeOut('\nuncertain: look at the paper before you send it again, then say whether all came out:');
    for (const { seq, id = '' } of uncertain)
      writeOut(`  tillnode settle ${Number(seq)} yes|no  ${clean(id)}`.trimEnd());
    if (answer.jobs.some(({ outcome }) => outcome === 'partial'))
      writeOut('\npartial: its client broke it off; what came of it is on the paper.');
  },
};

const settle: CliCommand = {
  usage: 'NUMBER yes|no',
  summary: 'say whether all of a job in doubt is on the paper (its number: tillnode jobs)',
  positionals: 2,
  async run({ client, signal, json: asJson }, [seq = '', printed]) {
    if (!/^\d{1,15}$/.test(seq) || (printed !== 'yes' && printed !== 'no'))
      throw new UsageError('usage: tillnode settle NUMBER yes|no');
    const answer = await client.settle({ seq: Number(seq), printed: printed === 'yes' }, { signal });
    writeOut(asJson ? json(answer) : `noted: job ${seq} ${printed === 'yes' ? 'came out' : 'did not come out'}`);
  },
};

export const commands = { jobs, settle };
