/** Why a rollout does not go on, in English: the page says the codes of it in its own language. */
import { type Cause, HELD } from './contract.ts';

/** The cause as the API says it, in English. */
export function causeInEnglish({ group, failed, size, held }: Cause): string {
  if (held.length === 0) return `${failed} of the ${size} nodes of group ${group + 1} failed`;
  const told = held.map(
    ({ nodes, what, some }) => `${nodes} ${HELD[what]}: ${some.join(', ')}${nodes > some.length ? ', …' : ''}`,
  );
  return `group ${group + 1} is stuck; ${told.join('; ')}`;
}
