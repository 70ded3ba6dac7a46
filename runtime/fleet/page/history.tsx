/** The fleet over time: what it took in and refused, and which alerts began. */
import { language } from '../../base/speech.ts';
import { SelectField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import type { History } from '../history/contract.ts';
import { type Address, linkTo } from './address.ts';
import { useAsked } from './api.ts';
import { hourOf, hoursUpTo } from './days.tsx';
import { Shown } from './pieces.tsx';
import { say } from './say.ts';
import { type StripRow, Strips } from './strips.tsx';

const LOOK_MS = 60_000;
const HOURS = 48;
const DAYS = 30;

/** An hour or a day. */
interface Span {
  readonly at: number;
  /** Undefined where nothing is known of it. */
  readonly sums: Omit<History['hours'][number], 'at'> | undefined;
}

const alertsOf = ({ sums }: Span, rule: string): number | undefined => sums && (sums.alerts[rule] ?? 0);
const ROWS: readonly StripRow<Span>[] = [
  { name: say('messages'), tone: 'good', value: ({ sums }) => sums?.stored },
  { name: say('refusals'), tone: 'bad', value: ({ sums }) => sums?.refused },
  ...(
    [
      ['offline', 'bad'],
      ['no_paper', 'warn'],
      ['crash_loop', 'bad'],
      ['custody_hold', 'warn'],
      ['rollout_halted', 'bad'],
      ['rollout_stuck', 'warn'],
      ['ingest_refused', 'bad'],
      ['offline_not_judged', 'warn'],
      ['webhook_fails', 'bad'],
      ['mail_fails', 'bad'],
    ] as const
  ).map(([rule, tone]) => ({
    name: say('alertOf', { what: say.find(`state_${rule}`) ?? rule }),
    tone,
    value: (span: Span) => alertsOf(span, rule),
  })),
];

const dayOf = ({ at }: { readonly at: number }): string =>
  new Date(at).toLocaleDateString(`${language}-u-nu-latn`, { dateStyle: 'medium' });

/** Hours added up to days of the browser's time zone, the oldest first. */
function daysOf(hours: readonly Span[]): readonly Span[] {
  const days = new Map<string, Span>();
  for (const hour of hours) {
    const day = days.get(dayOf(hour));
    days.set(dayOf(hour), { at: day?.at ?? hour.at, sums: added(day?.sums, hour.sums) });
  }
  return [...days.values()].slice(-DAYS);
}

function added(one: Span['sums'], other: Span['sums']): Span['sums'] {
  if (one === undefined || other === undefined) return one ?? other;
  const rules = Object.keys({ ...one.alerts, ...other.alerts });
  return {
    stored: one.stored + other.stored,
    refused: one.refused + other.refused,
    alerts: Object.fromEntries(rules.map((rule) => [rule, (one.alerts[rule] ?? 0) + (other.alerts[rule] ?? 0)])),
  };
}

/** Two days by hours, or a month by days. */
export function HistoryView({ address: { parameters } }: { address: Address }) {
  const byDays = parameters['by'] === 'days';
  const hours = byDays ? (DAYS + 1) * 24 : HOURS;
  const asked = useAsked<History>(`history?hours=${hours}`, LOOK_MS);
  return (
    <Card>
      <SelectField
        label={say('span')}
        value={byDays ? 'days' : ''}
        options={[
          ['', say('hours48')],
          ['days', say('days30')],
        ]}
        onValue={(by) => {
          location.hash = linkTo('history', '', { by });
        }}
      />
      <Shown asked={asked}>
        {(data) => {
          const spans = hoursUpTo(data.hours, hours);
          return (
            <Strips
              caption={say('history')}
              columns={byDays ? daysOf(spans) : spans}
              head={byDays ? say('day') : say('hour')}
              nameOf={byDays ? dayOf : hourOf}
              rows={ROWS}
            />
          );
        }}
      </Shown>
    </Card>
  );
}
