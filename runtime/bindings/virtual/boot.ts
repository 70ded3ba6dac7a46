import type { BootBinding } from '../bindings.ts';

/** Counts what a real one would do. */
export class VirtualBoot implements BootBinding {
  readonly slot = 'a';
  restarts = 0;

  restart(): void {
    this.restarts += 1;
  }
}
