/** Whether the machine has run out of memory. */
import { readFileSync } from 'node:fs';

/** Number of processes that the kernel has killed for lack of memory since it booted (proc_vmstat(5)); 0 if unknown. */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
