import { speech } from '../../../runtime/exports/panel.ts';
import { words } from './words.ts';

export const say = speech(words);
