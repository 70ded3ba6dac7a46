/** How a scale is certified: nothing on it, a coin, nothing again, and off. */

import { speech } from '../../runtime/base/speech.ts';
import type { Question, Run, Step, Tour } from '../../runtime/certify/tour.ts';
import words from './words/certify/en.json' with { type: 'json' };

const say = speech(words);

const awaited = (id: 'zero' | 'coin' | 'empty' | 'off'): Question => ({
  ...{ id, text: say(id), awaited: true, default: 'do' },
});

const questions: readonly Question[] = [
  awaited('zero'),
  awaited('coin'),
  { id: 'weight', text: say('weight'), default: 'unknown' },
  awaited('empty'),
  awaited('off'),
];

/** Waits for a weight at rest that fits. */
async function weighs(run: Run, id: 'coin' | 'empty', fits: (weight: number) => boolean): Promise<void> {
  const seen = await run.awaited(id, (event) =>
    event.type === 'scale_weight_changed' && event.stable && event.weight !== null && fits(event.weight)
      ? { type: event.type, weight: event.weight, unit: event.unit, stable: true }
      : undefined,
  );
  run.fact(id, seen === undefined ? 'not_seen' : `${seen.weight} ${seen.unit}`);
  run.say(
    seen === undefined
      ? say('saidNotSeen', { what: say(id) })
      : say('saidWeight', { what: say(id), weight: `${seen.weight} ${seen.unit}` }),
  );
}

const steps: readonly Step[] = [
  {
    id: 'weigh',
    title: say('weighStep'),
    async run(run) {
      const zero = await run.looked('zero', async () => ((await run.client.scale()).weight === 0 ? true : undefined));
      run.fact('zero', zero ?? false);
      run.say(say(zero ? 'saidZero' : 'saidNotZero'));
      await weighs(run, 'coin', (weight) => weight > 0);
      run.fact('weight', await run.ask('weight'));
      await weighs(run, 'empty', (weight) => weight === 0);
    },
  },
  {
    id: 'off',
    title: say('offStep'),
    async run(run) {
      const off = await run.looked('off', async () => {
        const { status } = await run.client.scale();
        return status === 'reading' ? undefined : status;
      });
      run.fact('off', off ?? 'not_seen');
      run.say(say(off === undefined ? 'saidNotOff' : 'saidOff'));
    },
  },
];

export const tour: Tour = { kind: 'scale', name: say('name'), config: [], questions, steps };
