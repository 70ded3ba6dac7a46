/** No panel of its own: the menu leads to the page of help. */
import { definePanel, speech } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

export default definePanel({ id: 'help', title: say('title'), order: 200, href: '/help' });
