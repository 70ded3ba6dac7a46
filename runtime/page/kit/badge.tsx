/** Labels for states: a sign, a colour and always a text. */
import type { ComponentChildren } from 'preact';
import { say } from './say.ts';
import { duration } from './sentences.ts';

/** How urgent a state is. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';
const SIGNS: Readonly<Record<Tone, string>> = { good: '●', warn: '▲', bad: '■', plain: '○' };

/** A label with the sign and colour of a tone. */
export const Badge = ({ tone = 'plain', children }: { tone?: Tone | undefined; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{SIGNS[tone]} </span>
    {children}
  </span>
);

const TONES: Readonly<Record<string, Tone>> = { bound: 'good', silent: 'warn', gone: 'bad', no_channel: 'bad' };

/** One of the five conditions of a peripheral (specification 2.1, rule 3). */
export function Condition({ condition, sinceMs }: { condition: string; sinceMs?: number | undefined }) {
  const since = sinceMs === undefined ? undefined : { time: duration(sinceMs) };
  return (
    <Badge tone={TONES[condition]}>
      {since && condition === 'gone'
        ? say('goneAgo', since)
        : since && condition === 'silent'
          ? say('silentFor', since)
          : (say.find(condition) ?? condition)}
    </Badge>
  );
}
