/** How the page itself speaks, and what all panels are drawn with. */
import { speech } from '../../base/speech.ts';
import words from '../words/en.json' with { type: 'json' };

export const say = speech(words);
