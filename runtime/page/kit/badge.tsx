/** States: a sign, a colour and, always, words. */
import type { ComponentChildren } from 'preact';
import { duration } from './words.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'plain';
const SIGNS: Readonly<Record<Tone, string>> = { good: '●', warn: '▲', bad: '■', plain: '○' };

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{SIGNS[tone]} </span>
    {children}
  </span>
);

const CONDITIONS: Readonly<Record<string, readonly [Tone, string]>> = {
  bound: ['good', 'bound'],
  silent: ['warn', 'silent'],
  gone: ['bad', 'gone'],
  no_channel: ['bad', 'no channel'],
  never_seen: ['plain', 'never seen'],
};

/** One of the five conditions of a peripheral (specification 2.1, rule 3). */
export function Condition({ condition, sinceMs }: { condition: string; sinceMs?: number | undefined }) {
  const [tone, words] = CONDITIONS[condition] ?? ['plain', condition];
  const age =
    sinceMs === undefined ? '' : condition === 'gone' ? ` ${duration(sinceMs)} ago` : ` for ${duration(sinceMs)}`;
  return (
    <Badge tone={tone}>
      {words}
      {age}
    </Badge>
  );
}
