/**
 * GS ( E: the user setting mode (Epson TM-T81 and TM-U220 command manuals). In it the printer obeys the functions of its
 * settings and `GS I` alone, and a receipt that is sent to it is swallowed.
 */
import type { Mechanism } from './command.ts';

const ENTER = '\u0001IN';
const LEAVE = '\u0002OUT';

/** Function 1, `IN`, enters; function 2, `OUT`, leaves with a reset. The settings themselves are not kept. */
export const setupCommand = (on: Mechanism, payload: Uint8Array): void => {
  const asked = String.fromCharCode(...payload.subarray(0, 8));
  if (asked === ENTER && !on.inSetup) {
    on.enterSetup();
    on.effects?.setupEntered();
  } else if (asked === LEAVE && on.inSetup) {
    on.leaveSetup();
    on.effects?.setupLeft();
  }
};
