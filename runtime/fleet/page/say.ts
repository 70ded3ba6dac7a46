/** How this page speaks. */
import { speech } from '../../page/kit/language.ts';
import { words } from './words.ts';

export const say = speech(words);
