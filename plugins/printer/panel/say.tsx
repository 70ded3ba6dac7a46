import { speech } from '../../../runtime/page/kit.ts';
import words from '../words/en.json' with { type: 'json' };

/** The texts of this panel in the language of the page. */
export const say = speech(words);
