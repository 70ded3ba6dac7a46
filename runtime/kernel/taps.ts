/** What stands around every tap of a hook: its room is known while it runs, and what it throws is its own fault. */
import type { Hook } from 'tapable';
import { UsbError } from '../bindings/usb.ts';
import { ApiError } from './errors.ts';
import type { Rooms } from './rooms.ts';

/** Hooks whose caller needs to hear what a tap threw, as the work that it was to do is not done. */
const TOLD: readonly string[] = ['bind', 'command', 'configure', 'stop'];
/** Hooks that a tap may refuse or break off by an ApiError or a UsbError, for all others too. */
const REFUSING: readonly string[] = ['request', 'probe', ...TOLD];

/** What is needed of a hook. */
export type Tapped = Pick<Hook<unknown[], unknown>, 'intercept'>;

/** Watches the taps of a hook, and gives it. `where`: what faults are said to be in, where that is not its name. */
export function watch<H extends Tapped>(hook: string, target: H, rooms: Rooms, where = hook): H {
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
          return result instanceof Promise ? result.catch(caught) : result;
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
