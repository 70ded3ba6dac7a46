/** How this page speaks. */
import { speech } from '../../../base/speech.ts';
import words from './words/en.json' with { type: 'json' };

export const say = speech(words);
