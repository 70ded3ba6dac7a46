/** How this page speaks. */
import { speech } from '../../base/speech.ts';
import { words } from './words.ts';

export const say = speech(words);
