/** What stands around every tap of a hook: its room is known while it runs, and what it throws is its own fault. */
import type { Hook } from 'tapable';
import { inTime } from '../base/in-time.ts';
import { UsbError } from '../bindings/usb.ts';
import type { Bound } from './device.ts';
import { ApiError } from './errors.ts';
import type { Rooms } from './rooms.ts';

/** Hooks whose caller needs to hear what a tap threw, as the work that it was to do is not done. */
const TOLD: readonly string[] = ['bind', 'command', 'configure', 'stop'];
/** Hooks that a tap may refuse or break off by an ApiError or a UsbError, for all others too. */
const REFUSING: readonly string[] = ['request', 'probe', ...TOLD];

/** A tap that waits for a device of its own: longer than anything that a command may wait for. */
const COMMAND_MS = 900_000;
/**
 * How long a tap of these hooks may take (ms), as others wait for it: every other device, the start, the next setting, the end.
 * More than all transfers that a room makes as it asks a device and binds it, each of which has a time limit of its own;
 * and, of `stop`, than what the printer has left to finish.
 */
const PATIENCE_MS: Readonly<Record<string, number>> = {
  ...{ start: 15_000, probe: 30_000, bind: 30_000, configure: 30_000 },
  ...{ stop: 2300, command: COMMAND_MS, notice: COMMAND_MS },
};

const letGo = (bound: unknown): unknown =>
  typeof bound === 'object' && bound !== null && 'release' in bound ? (bound as Bound).release() : undefined;

/** What is needed of a hook. */
export type Tapped = Pick<Hook<unknown[], unknown>, 'intercept'>;

/** Watches the taps of a hook, and gives it. `where`: what faults are said to be in, where that is not its name. */
export function watch<H extends Tapped>(hook: string, target: H, rooms: Rooms, where = hook): H {
  const patienceMs = PATIENCE_MS[hook];
  target.intercept({
    register: (tap) => {
      // A tap may have any name; whose it is shows while the room is made.
      const room = rooms.running ?? tap.name;
      const caught = (thrown: unknown): undefined => {
        const isRefusal = thrown instanceof ApiError || thrown instanceof UsbError;
        if (isRefusal && REFUSING.includes(hook)) throw thrown;
        if (hook === 'start') rooms.cannotStart(room, where, thrown);
        else rooms.threw(room, where, thrown);
        if (TOLD.includes(hook)) throw thrown;
        return undefined;
      };
      const work = tap.fn;
      const fn = (...args: unknown[]): unknown => {
        // It may have opened something before it failed, which it is to close.
        if (rooms.isOff(room) && hook !== 'stop') return tap.type === 'promise' ? Promise.resolve() : undefined;
        try {
          const result: unknown = rooms.run(room, () => work(...args));
          if (!(result instanceof Promise)) return result;
          return (patienceMs === undefined ? result : inTime(result, patienceMs, letGo)).catch(caught);
        } catch (thrown) {
          const nothing = caught(thrown);
          return tap.type === 'promise' ? Promise.resolve(nothing) : nothing;
        }
      };
      return { ...tap, fn };
    },
  });
  return target;
}
