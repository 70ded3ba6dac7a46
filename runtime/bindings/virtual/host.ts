import type { HostBinding } from '../bindings.ts';

/** A machine whose free memory is what the test says. */
export class VirtualHost implements HostBinding {
  memory: number;

  constructor(memory = 256 * 1024 * 1024) {
    this.memory = memory;
  }

  memoryLeft(): number {
    return this.memory;
  }
}
