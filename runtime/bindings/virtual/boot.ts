import type { BootBinding } from '../bindings.ts';

/** Counts what a real one would do. */
export class VirtualBoot implements BootBinding {
  readonly slot = 'a';
  readonly reason = 'power_on';
  good = false;
  restarts = 0;

  markGood(): void {
    this.good = true;
  }

  restart(): void {
    this.restarts += 1;
  }
}
