/** The last 24 hours on the overview: a bar for the receipts of each hour, red for what did not come out, and what stood in the way. */
import { useEffect } from 'preact/hooks';
import { Card, clock, type PanelProps, speech, useLoaded } from '../../page/kit.ts';
import type { DayHour } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const HOURS = 24;
const WIDTH = 10;
const HEIGHT = 40;
/** Under the bars: what stood in the way in that hour. */
const FOOT = 6;

/** The strip; nothing until an hour has something to show. */
export function Today({ node }: PanelProps) {
  const { data, reload } = useLoaded(node.client.jobs);
  const { on, status } = node;
  useEffect(() => on('command_result', () => void reload()), [on, reload]);
  useEffect(() => {
    if (status !== undefined) void reload();
  }, [status, reload]);
  const day = data?.day ?? [];
  return day.some((hour) => hour.receipts + hour.failed + hour.trouble.length > 0) ? <Strip day={day} /> : null;
}

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
