/** No panel of its own: a link to the page, on the card of each device that can be certified now. */
import { kinds } from 'virtual:tour-kinds';
import { definePanel, speech } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

export default definePanel({
  id: 'certify',
  title: say('certify'),
  order: 0,
  deviceLink: ({ endpoint, kind, condition }) =>
    kinds.includes(kind) && (condition === 'bound' || condition === 'silent')
      ? { href: `/certify#${endpoint}`, words: say('certify') }
      : undefined,
});
