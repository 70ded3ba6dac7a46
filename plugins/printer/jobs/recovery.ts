/** What brings a printer back to a known state. */
import { type EscposOptions, LEAVE_SETUP, REALTIME_PULSE_DISABLE, RECOVERY } from '../../../codecs/escpos.ts';

/** After a job that was interrupted. */
export interface Recovery {
  /** Sent after the NULs: selects and resets the printer. */
  readonly bytes: Uint8Array;
  /** Leaves the setup mode, where the printer has one. */
  readonly leaveSetup?: Uint8Array | undefined;
  /** SOFT_RESET, used where more than one block of NULs is missing. Undefined where the printer has none. */
  readonly reset: (() => Promise<void>) | undefined;
}

/** Milliseconds. A printer that leaves its setup mode starts again, and what it gets meanwhile is lost. */
const START_MS = 1000;

/** A printer that starts again. */
export class Start {
  /** Whether it is in its setup mode, of which it is brought out before the next write. */
  leavesSetup = false;
  #endsAt = 0;

  begin(): void {
    this.#endsAt = performance.now() + START_MS;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Resolves when it reads again. */
  async over(): Promise<void> {
    const leftMs = this.#endsAt - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }
}

/** How a printer with these options recovers. `reset`: its SOFT_RESET. */
export const recoveryOf = (
  { realtimePulseDisable, setupMode, softReset }: EscposOptions,
  reset: () => Promise<void>,
): Recovery => ({
  bytes: realtimePulseDisable ? Buffer.concat([RECOVERY, REALTIME_PULSE_DISABLE]) : RECOVERY,
  leaveSetup: setupMode ? LEAVE_SETUP : undefined,
  reset: softReset ? reset : undefined,
});

/** The same, with these bytes before each part: a header that the printer is still in ends with them. */
export function behind(nuls: Uint8Array, { bytes, leaveSetup, reset }: Recovery): Recovery {
  const after = (part: Uint8Array) => Buffer.concat([nuls, part]);
  return { bytes: after(bytes), leaveSetup: leaveSetup && after(leaveSetup), reset };
}

/** Whether a reset worked; never rejects. */
export const didWork = (reset: () => Promise<void>): Promise<boolean> =>
  reset().then(
    () => true,
    () => false,
  );
