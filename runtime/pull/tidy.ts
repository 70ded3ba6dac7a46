/** Memory that large answers leave behind: V8 keeps it until it wants more than it has. */
import { collector } from '../base/garbage.ts';

/** Bytes; less is left to V8. */
const GARBAGE_BYTES = 3 * 1024 * 1024;

/** Reads of an answer between two collections of what is young, and of all. */
const YOUNG_READS = 16;
const ALL_READS = 64;

/** What gives memory back. */
export interface Tidier {
  /** Something is over: where it is worth the milliseconds. */
  readonly tidy: () => void;
  /**
   * Some of an answer was read. Node takes 64 KB for each read, and cuts off what it did not need: behind hundreds that V8 has not collected the
   * allocator finds little but holes, and keeps them.
   */
  readonly read: () => void;
}

/** For a process of its own. */
export function tidier(): Tidier {
  const collect = collector();
  let left = 0;
  let reads = 0;
  return {
    tidy: () => {
      if (used() - left < GARBAGE_BYTES) return;
      collect();
      left = used();
    },
    read: () => {
      reads += 1;
      if (reads % ALL_READS === 0) collect();
      else if (reads % YOUNG_READS === 0) collect({ type: 'minor' });
    },
  };
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
