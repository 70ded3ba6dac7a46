/** GS : and GS ^ (Epson TM-T88III command manual): what a job defined, printed again. A macro goes with the power. */
import { type CommandEntry, GS } from './command.ts';

export const macros: readonly CommandEntry[] = [
  [GS, ':', { size: 2, run: (on) => on.markMacro() }],
  // GS ^ r t m: r times, with a pause, or at the FEED button (m 1), which is pressed here at once.
  [GS, '^', { size: 5, run: (on, head) => on.runMacro(head[2]!) }],
];
