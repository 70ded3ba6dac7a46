/** How this page speaks. */
import { speech } from '../../base/speech.ts';
import boots from '../../services/bootlog/words/en.json' with { type: 'json' };
import words from './words/en.json' with { type: 'json' };

export const say = speech(words);

const reasons = speech(boots);
/** For a code that a node told, such as why it crashed: its words, or the code where there are none. */
export const wordOf = (code = ''): string =>
  say.find(`state_${code}`) ?? say.find(`word_${code}`) ?? reasons.find(code) ?? code;
