import { speech } from '../../../runtime/page/kit.ts';
import { words } from './words.ts';

/** The texts of this panel in the language of the page. */
export const say = speech(words);
