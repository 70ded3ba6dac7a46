/** The last 24 hours on the overview: a bar for the receipts of each hour, red for what did not come out, and what stood in the way. */
import { Card, clock, type PanelProps, speech } from '../../page/kit.ts';
import type { DayHour, RecentJob } from './contract.ts';
import { Progress, useJobs } from './panel-jobs.tsx';
import { Last } from './panel-last.tsx';
import { kindOf } from './panel-words.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const HOURS = 24;
/** Most jobs are over before anybody looks. */
const LONG_MS = 1000;
const WIDTH = 10;
const HEIGHT = 40;
/** Under the bars: what stood in the way in that hour. */
const FOOT = 6;

/** What goes on for long, the last receipt, and the strip; nothing until an hour has something to show. */
export function Today({ node }: PanelProps) {
  const { data } = useJobs(node);
  const day = data?.day ?? [];
  const long = data?.jobs.filter(({ outcome, ms }) => outcome === 'running' && ms >= LONG_MS) ?? [];
  return (
    <>
      {long.length > 0 && <Running jobs={long} />}
      <Last jobs={data?.jobs ?? []} />
      {day.some((hour) => hour.receipts + hour.failed + hour.trouble.length > 0) && <Strip day={day} />}
    </>
  );
}

/** Jobs in progress, the one that began first on top. */
const Running = ({ jobs }: { readonly jobs: readonly RecentJob[] }) => (
  <Card title={say('running')}>
    {jobs.toReversed().map((job) => {
      const { seq, startedAgoMs, bytes, totalBytes } = job;
      const name = `${kindOf(job)}, ${clock(startedAgoMs)}`;
      return (
        <p key={seq}>
          {name}
          <br />
          <Progress job={job} label={name} />{' '}
          {totalBytes !== undefined && <span class="quiet">{say('bytesOf', { n: bytes, total: totalBytes })}</span>}
        </p>
      );
    })}
  </Card>
);

/** What is to be said of some hours. */
function sentenceOf(hours: readonly DayHour[]): string {
  const sum = (what: 'receipts' | 'failed') => hours.reduce((n, hour) => n + hour[what], 0);
  const trouble = [...new Set(hours.flatMap((hour) => hour.trouble))];
  const failed = sum('failed');
  return [
    say('receipts', { n: sum('receipts') }),
    ...(failed > 0 ? [say('notPrinted', { n: failed })] : []),
    ...trouble.map((each) => say(`trouble_${each}`)),
  ].join(', ');
}

function Strip({ day }: { readonly day: readonly DayHour[] }) {
  const most = Math.max(...day.map(({ receipts, failed }) => receipts + failed), 1);
  const tall = (n: number) => (n / most) * HEIGHT;
  const sum = sentenceOf(day);
  return (
    <Card title={say('day')}>
      <svg class="day" viewBox={`0 0 ${HOURS * WIDTH} ${HEIGHT + FOOT}`} role="img" aria-label={sum}>
        {Array.from({ length: HOURS }, (_, ago) => {
          const hour = day[ago];
          const place = { x: (HOURS - 1 - ago) * WIDTH + 1, width: WIDTH - 2 };
          // Before the node was started nothing was counted.
          if (hour === undefined) return <rect key={ago} {...place} y={HEIGHT - 1} height={1} class="empty" />;
          const [good, bad] = [tall(hour.receipts), tall(hour.failed)];
          return (
            <g key={ago}>
              <title>{`${clock(hour.startedAgoMs)}: ${sentenceOf([hour])}`}</title>
              <rect {...place} y={0} height={HEIGHT + FOOT} class="empty" />
              <rect {...place} y={HEIGHT - good} height={good} class="good" />
              <rect {...place} y={HEIGHT - good - bad} height={bad} class="bad" />
              {hour.trouble.length > 0 && <rect {...place} y={HEIGHT + 1} height={FOOT - 1} class="warn" />}
            </g>
          );
        })}
      </svg>
      <p class="quiet">{sum}</p>
    </Card>
  );
}
