/** The table that a simulation prints at its end. */
import type { Rollout } from '../../../runtime/fleet/rollouts/contract.ts';
import type { Comparison, Simulation } from './simulation.ts';

/** The lines. `open`: heartbeats that nobody has answered to the end. */
export function linesOf(
  { ledger, nodes }: Simulation,
  { sent, answered, stored, lost, twice }: Comparison,
  rollout: Rollout | undefined,
  open: number,
): string[] {
  const rows = [...ledger.answers].flatMap(([kind, answers]) =>
    [...answers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([answer, count]) => [kind, answer, count] as const),
  );
  const [half, most] = [50, 99].map((percent) => ledger.percentile(percent).toFixed(0));
  return [
    '',
    `${'sent'.padEnd(14)}${'answer'.padEnd(12)}${'requests'.padStart(10)}`,
    ...rows.map(([kind, answer, count]) => `${kind.padEnd(14)}${answer.padEnd(12)}${String(count).padStart(10)}`),
    '',
    `heartbeats: ${sent} different ones sent, ${answered} answered, ${stored} stored; half answered within ${half} ms, 99 % within ${most} ms`,
    `lost at ${lost.length} nodes, counted twice at ${twice.length}, never answered: ${open}`,
    ...(rollout === undefined ? [] : [lineOf(rollout, nodes.filter((node) => node.hasRun(rollout.version)).length)]),
  ];
}

const lineOf = ({ version, state, reason, groups, openGroup }: Rollout, had: number): string =>
  `rollout of ${version}: ${state}${reason === null ? '' : ` (${reason})`}, group ${openGroup + 1} of ${groups.length}; ${had} nodes had it`;
