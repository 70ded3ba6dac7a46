import type { HostBinding } from '../board.ts';

/** A machine whose free memory, in bytes, a test sets. */
export class VirtualHost implements HostBinding {
  memory: number;

  constructor(memory = 256 * 1024 * 1024) {
    this.memory = memory;
  }

  memoryLeft(): number {
    return this.memory;
  }
}
