/** The last 30 days of a node as a strip, and as a table. */
import { language } from '../../base/speech.ts';
import { Card, Table } from '../../page/kit/layout.tsx';
import type { NodeDays } from '../nodes/contract.ts';
import { useAsked } from './api.ts';
import { count, Shown } from './pieces.tsx';
import { say } from './say.ts';

const LOOK_MS = 300_000;
const WIDTH = 12;
const ROW = 14;
type Day = NodeDays['days'][number];

/** A strip for eyes alone, with the same numbers in the table below it. */
export function Days({ id }: { id: string }) {
  const asked = useAsked<NodeDays>(`nodes/${encodeURIComponent(id)}/days`, LOOK_MS);
  return (
    <Card title={say('days30')}>
      <Shown asked={asked}>
        {({ days }) => (
          <>
            <Strip days={days} />
            <details>
              <summary>{say('asTable')}</summary>
              <div class="numbers">
                <Table
                  caption={say('days30')}
                  head={[say('day'), ...ROWS.map(({ name }) => name())]}
                  rows={days.toReversed().map((day) => ({
                    key: day.day,
                    cells: [dateOf(day), ...ROWS.map(({ told }) => told(day))],
                  }))}
                  empty={say('none')}
                />
              </div>
            </details>
          </>
        )}
      </Shown>
    </Card>
  );
}

const dateOf = ({ day }: Day): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(`${language}-u-nu-latn`, { dateStyle: 'medium', timeZone: 'UTC' });

interface StripRow {
  readonly name: () => string;
  readonly tone: string;
  /** From 0 to 1, of the height of a row. `most`: the most receipts of a day. */
  readonly height: (day: Day, most: number) => number;
  readonly told: (day: Day) => string;
}
const ROWS: readonly StripRow[] = [
  { name: () => say('heardHours'), tone: 'good', height: ({ hours }) => hours / 24, told: ({ hours }) => count(hours) },
  {
    name: () => say('receipts'),
    tone: 'main',
    height: ({ prints }, most) => prints / most,
    told: ({ prints }) => count(prints),
  },
  {
    name: () => say('state_offline'),
    tone: 'bad',
    height: ({ offline }) => Math.min(1, offline / 4),
    told: ({ offline }) => count(offline),
  },
  {
    name: () => say('paperOut'),
    tone: 'warn',
    height: ({ noPaper }) => Math.min(1, noPaper / 4),
    told: ({ noPaper }) => count(noPaper),
  },
  {
    name: () => say('change_crash'),
    tone: 'bad',
    height: ({ crashes }) => Math.min(1, crashes / 4),
    told: ({ crashes }) => count(crashes),
  },
  {
    name: () => say('change_version'),
    tone: 'main',
    height: ({ versions }) => (versions.length === 0 ? 0 : 1),
    told: ({ versions }) => versions.join(', '),
  },
];

function Strip({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ prints }) => prints));
  return (
    <div class="strip" aria-hidden="true">
      {ROWS.map(({ name, tone, height, told }) => (
        <div key={name()} class="strip-row">
          <span>{name()}</span>
          <svg viewBox={`0 0 ${days.length * WIDTH} ${ROW}`} preserveAspectRatio="none" class="chart">
            <title>{name()}</title>
            {days.map((day, at) => {
              const tall = Math.max(height(day, most) * (ROW - 2), height(day, most) > 0 ? 2 : 0);
              return (
                <g key={day.day}>
                  <title>{`${dateOf(day)}: ${told(day)}`}</title>
                  <rect x={at * WIDTH + 1} y={0} width={WIDTH - 2} height={ROW} class="back" />
                  <rect x={at * WIDTH + 1} y={ROW - tall} width={WIDTH - 2} height={tall} class={tone} />
                </g>
              );
            })}
          </svg>
        </div>
      ))}
    </div>
  );
}
