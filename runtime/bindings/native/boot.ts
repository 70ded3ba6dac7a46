import type { BootBinding } from '../bindings.ts';

/** `restart` is what the process was given to do it with. */
export const createBoot = (restart: () => void): BootBinding => ({
  slot: 'factory',
  reason: 'power_on',
  markGood: () => {},
  restart,
});
