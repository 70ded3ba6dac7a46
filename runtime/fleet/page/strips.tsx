/** Numbers over time: a row of bars for each, hidden from screen readers, and the same numbers as a table. */
import { Table } from '../../page/kit/layout.tsx';
import { count } from './pieces.tsx';
import { say } from './say.ts';

const WIDTH = 12;
const ROW = 14;

/** One number of each day or hour. */
export interface StripRow<T> {
  readonly name: string;
  readonly tone: 'good' | 'main' | 'warn' | 'bad';
  /** Undefined where it is not known. */
  readonly value: (each: T) => number | undefined;
  /** The value of a full bar; the highest of the row unless given. */
  readonly full?: number;
  /** As the table and the tip say it; the value unless given. */
  readonly told?: (each: T) => string;
}

interface StripsProps<T> {
  readonly caption: string;
  /** The oldest first. */
  readonly columns: readonly T[];
  /** What the columns are: days, hours. */
  readonly head: string;
  readonly nameOf: (each: T) => string;
  readonly rows: readonly StripRow<T>[];
}

/** What is not known has no bar, not even an empty one. */
export function Strips<T>({ caption, columns, head, nameOf, rows }: StripsProps<T>) {
  const told = (row: StripRow<T>, each: T) => {
    const value = row.value(each);
    return value === undefined ? '–' : (row.told?.(each) ?? count(value));
  };
  return (
    <>
      <div class="strip" aria-hidden="true">
        {rows.map((row) => (
          <div key={row.name} class="strip-row">
            <span>{row.name}</span>
            <svg viewBox={`0 0 ${columns.length * WIDTH} ${ROW}`} preserveAspectRatio="none" class="chart">
              <title>{row.name}</title>
              {columns.map((each, at) => (
                <Bar
                  key={at}
                  left={at * WIDTH + 1}
                  tone={row.tone}
                  part={partOf(row, each, columns)}
                  title={`${nameOf(each)}: ${told(row, each)}`}
                />
              ))}
            </svg>
          </div>
        ))}
      </div>
      <details>
        <summary>{say('asTable')}</summary>
        <div class="numbers">
          <Table
            caption={caption}
            head={[head, ...rows.map(({ name }) => name)]}
            rows={columns.toReversed().map((each, at) => ({
              // In autumn two hours have one name.
              key: columns.length - at,
              cells: [nameOf(each), ...rows.map((row) => told(row, each))],
            }))}
            empty={say('none')}
          />
        </div>
      </details>
    </>
  );
}

/** How much of a full bar: 0 to 1, undefined where it is not known. */
function partOf<T>({ value, full }: StripRow<T>, each: T, columns: readonly T[]): number | undefined {
  const own = value(each);
  if (own === undefined) return undefined;
  const most = full ?? columns.reduce((highest, other) => Math.max(highest, value(other) ?? 0), 1);
  return Math.min(1, own / most);
}

interface BarProps {
  readonly left: number;
  readonly tone: string;
  readonly part: number | undefined;
  readonly title: string;
}
function Bar({ left, tone, part, title }: BarProps) {
  if (part === undefined) return null;
  const tall = Math.max(part * (ROW - 2), part > 0 ? 2 : 0);
  return (
    <g>
      <title>{title}</title>
      <rect x={left} y={0} width={WIDTH - 2} height={ROW} class="back" />
      <rect x={left} y={ROW - tall} width={WIDTH - 2} height={tall} class={tone} />
    </g>
  );
}
