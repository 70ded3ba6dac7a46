/**
 * Recognises a node that crashes repeatedly, which prints a notice. Time is run time in seconds, as the clock of the
 * machine may be wrong.
 */
import { filled, languagesOfNotice } from '../../base/language.ts';
import type { ImageInfo } from '../../kernel/node.ts';
import type { BootEntry } from './contract.ts';
import { words } from './words/slip/index.ts';

const HOUR_SECONDS = 3600;
/** Number of crashes in an hour from which a notice is printed. */
export const MANY = 3;
/** Shortest run time between two notices. */
export const SLIP_SECONDS = HOUR_SECONDS;

const CRASHED: readonly string[] = ['crash', 'watchdog', 'out_of_memory'];

/**
 * Number of crashes within the last hour of run time. `boots`: newest first, with the current run. A roll back counts if
 * the run before it was not stopped in order.
 */
export function crashesIn(boots: readonly BootEntry[]): number {
  let seconds = 0;
  let crashes = 0;
  for (const [index, { reason, uptimeSeconds }] of boots.entries()) {
    seconds += uptimeSeconds;
    if (seconds >= HOUR_SECONDS) break;
    if (CRASHED.includes(reason) || (reason === 'rollback' && boots[index + 1]?.clean === false)) crashes += 1;
  }
  return crashes;
}

/** The notice as lines of a print command (specification 2.3), in the language of the image and in English. */
export const slip = (crashes: number, { version, language }: Pick<ImageInfo, 'version' | 'language'>): object[] =>
  languagesOfNotice(language).flatMap((each, at) => [
    ...(at === 0 ? [] : [{ type: 'feed' }]),
    { type: 'text', value: words[each].title, bold: true, align: 'center', size: '1x2' },
    { type: 'feed' },
    { type: 'text', value: filled(words[each].how, { n: crashes, version }) },
  ]);
