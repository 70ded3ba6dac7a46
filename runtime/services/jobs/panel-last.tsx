/** The last receipt as a small paper: when, from whom, what came of it. What stood on it is nobody's but the customer's. */
import { Badge, Card, clock, speech, WhatToDo } from '../../page/kit.ts';
import type { RecentJob } from './contract.ts';
import { TONES } from './panel-jobs.tsx';
import { isReceipt, kindOf } from './panel-words.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** Nothing until one has ended. */
export function Last({ jobs }: { readonly jobs: readonly RecentJob[] }) {
  const last = jobs.find((job) => isReceipt(job) && job.outcome !== 'running');
  if (last === undefined) return null;
  const { from, startedAgoMs, outcome, error, bytes, totalBytes = bytes } = last;
  return (
    <Card title={say('last')}>
      <div class="slip">
        <p class="reading">{clock(startedAgoMs)}</p>
        <p>{kindOf(last)}</p>
        <p class="quiet">{from === 'node' ? say('node') : <bdi>{from}</bdi>}</p>
        <hr />
        <p>
          <Badge tone={TONES[outcome]}>{say(outcome)}</Badge>
          <WhatToDo code={error ?? (TONES[outcome] === 'good' ? undefined : outcome)} />
        </p>
        <p class="quiet">
          {totalBytes === bytes ? say('bytes', { n: bytes }) : say('bytesOf', { n: bytes, total: totalBytes })}
        </p>
      </div>
    </Card>
  );
}
