/**
 * A node that crashes again and again says so where somebody looks: on paper. Seconds are counted while it runs, because
 * nobody knows what its clock was set to.
 */
import type { BootEntry } from './contract.ts';

const HOUR_SECONDS = 3600;
/** So many crashes in an hour are worth paper. */
export const MANY = 3;
/** Between two slips. */
export const SLIP_SECONDS = HOUR_SECONDS;

const CRASHED: readonly string[] = ['crash', 'watchdog', 'out_of_memory'];

/** Runs that ended in a crash within the last hour of running; newest first, the run that is on included. */
export function crashesIn(boots: readonly BootEntry[]): number {
  let seconds = 0;
  let crashes = 0;
  for (const { reason, uptimeSeconds } of boots) {
    seconds += uptimeSeconds;
    if (seconds >= HOUR_SECONDS) break;
    if (CRASHED.includes(reason)) crashes += 1;
  }
  return crashes;
}

/** Lines of the print command (specification 2.3). */
export const slip = (crashes: number, version: string): object[] => [
  { type: 'text', value: 'THIS NODE KEEPS CRASHING', bold: true, align: 'center', size: '1x2' },
  { type: 'feed', lines: 1 },
  {
    type: 'text',
    value:
      `It ended by itself ${crashes} times in the last hour and was started again each time. It prints meanwhile. ` +
      `Its firmware is ${version}. Why it ended stands on its page, under "Boot log": show it to whoever looks after it.`,
  },
];
