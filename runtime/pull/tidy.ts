/** Memory that large answers leave behind: V8 keeps it until it wants more than it has. */
import { collector } from '../base/garbage.ts';

/** Bytes; less is left to V8. */
const GARBAGE_BYTES = 3 * 1024 * 1024;

/** For a process of its own: what gives back the memory of what is over, where it is worth the milliseconds. */
export function tidier(): () => void {
  const collect = collector();
  let left = 0;
  return () => {
    if (used() - left < GARBAGE_BYTES) return;
    collect();
    left = used();
  };
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
