/** The last 30 days of a node, and its last hours. */
import { language } from '../../base/speech.ts';
import { Card } from '../../page/kit/layout.tsx';
import type { NodeDays, NodeHours } from '../nodes/contract.ts';
import { now, useAsked } from './api.ts';
import { Shown } from './pieces.tsx';
import { say } from './say.ts';
import { type StripRow, Strips } from './strips.tsx';

const LOOK_MS = 300_000;
type Day = NodeDays['days'][number];

/** The days of a node. */
export function Days({ id }: { id: string }) {
  const asked = useAsked<NodeDays>(`nodes/${encodeURIComponent(id)}/days`, LOOK_MS);
  return (
    <Card title={say('days30')}>
      <Shown asked={asked}>
        {({ days }) => <Strips caption={say('days30')} columns={days} head={say('day')} nameOf={dateOf} rows={DAYS} />}
      </Shown>
    </Card>
  );
}

const dateOf = ({ day }: Day): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(`${language}-u-nu-latn`, { dateStyle: 'medium', timeZone: 'UTC' });

const DAYS: readonly StripRow<Day>[] = [
  { name: say('heardHours'), tone: 'good', value: ({ hours }) => hours, full: 24 },
  { name: say('receipts'), tone: 'main', value: ({ prints }) => prints },
  { name: say('state_offline'), tone: 'bad', value: ({ offline }) => offline, full: 4 },
  { name: say('paperOut'), tone: 'warn', value: ({ noPaper }) => noPaper, full: 4 },
  { name: say('change_crash'), tone: 'bad', value: ({ crashes }) => crashes, full: 4 },
  {
    name: say('change_version'),
    tone: 'main',
    value: ({ versions }) => versions.length,
    full: 1,
    told: ({ versions }) => versions.join(', '),
  },
];

const HOUR_MS = 3_600_000;
const HOURS = 48;

/** The last hours up to now, the oldest first, by the clock of the browser; of some nothing may be known. */
export function hoursUpTo<T extends { readonly at: string }>(
  known: readonly T[],
  hours: number,
): ReadonlyArray<{ readonly at: number; readonly sums: T | undefined }> {
  const sums = new Map(known.map((each) => [Date.parse(each.at), each]));
  const last = now() - (now() % HOUR_MS);
  return Array.from({ length: hours }, (_, before) => {
    const at = last - (hours - 1 - before) * HOUR_MS;
    return { at, sums: sums.get(at) };
  });
}

/** An hour, by when it begins. */
export const hourOf = ({ at }: { readonly at: number }): string =>
  new Date(at).toLocaleString(`${language}-u-nu-latn`, { dateStyle: 'medium', timeStyle: 'short' });

type Hour = ReturnType<typeof hoursUpTo<NodeHours['hours'][number]>>[number];
const SUMS: readonly StripRow<Hour>[] = [
  { name: say('heartbeats'), tone: 'good', value: ({ sums }) => sums?.heartbeats },
  { name: say('receipts'), tone: 'main', value: ({ sums }) => sums?.prints },
];

/** The last hours of a node; nothing is known of one in which nothing was heard. */
export function Hours({ id }: { id: string }) {
  const asked = useAsked<NodeHours>(`nodes/${encodeURIComponent(id)}/hours`, LOOK_MS);
  return (
    <Card title={say('hours48')}>
      <Shown asked={asked}>
        {({ hours }) => (
          <Strips
            caption={say('hours48')}
            columns={hoursUpTo(hours, HOURS)}
            head={say('hour')}
            nameOf={hourOf}
            rows={SUMS}
          />
        )}
      </Shown>
    </Card>
  );
}
