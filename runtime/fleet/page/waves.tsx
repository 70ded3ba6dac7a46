/** How the groups of a rollout fill. */
import type { MemberState, RolloutGroup } from '../rollouts/contract.ts';

/** The parts of a bar, those that are done first: the further a node is, the higher its part. */
const PARTS: ReadonlyArray<readonly [tone: string, height: number, states: readonly MemberState[]]> = [
  ['good', 20, ['healthy']],
  ['bad', 20, ['failed', 'excused']],
  ['main', 12, ['taken']],
  ['main', 6, ['offered']],
  ['plain', 2, ['waiting', 'skipped']],
];
const WIDTH = 400;
const HEIGHT = 24;

interface WavesProps {
  readonly groups: readonly RolloutGroup[];
  readonly names: readonly string[];
}

/** A bar for each group, hidden from screen readers: the numbers are in the table below it. */
export function Waves({ groups, names }: WavesProps) {
  const bars = groups.map((group, at) => ({ group, name: names[at] ?? '', top: at * HEIGHT }));
  const height = groups.length * HEIGHT;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${height}`}
      style={{ height: `${height}px` }}
      aria-hidden="true"
      preserveAspectRatio="none"
    >
      <title>{names.join(' · ')}</title>
      {bars.map((bar) => (
        <Bar key={bar.top} {...bar} />
      ))}
    </svg>
  );
}

function Bar({ group, name, top }: { group: RolloutGroup; name: string; top: number }) {
  let left = 0;
  return (
    <g>
      <title>{name}</title>
      {PARTS.map(([tone, height, states]) => {
        const nodes = states.reduce((sum, state) => sum + group[state], 0);
        const width = (WIDTH * nodes) / Math.max(1, group.size);
        left += width;
        return (
          <rect
            key={`${tone} ${height}`}
            class={tone}
            x={left - width}
            y={top + HEIGHT - 2 - height}
            width={width}
            height={height}
          />
        );
      })}
    </g>
  );
}
