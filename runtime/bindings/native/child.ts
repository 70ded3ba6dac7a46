/** Signals to other processes. */
import type { ChildProcess } from 'node:child_process';

/**
 * Sends a signal to a child process; does nothing if it could not be started. `ChildProcess.kill` cannot tell before
 * the next tick: a failed spawn leaves the process id in libuv's handle unset, and if that is 0, kill(2) signals the
 * whole process group: the node, its launcher, and the shell they were started from.
 */
export function signalChild(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined) child.kill(signal);
}

/**
 * Kills a process that is not a child of this one. Does nothing if it has ended, or if `pid` is not a positive integer:
 * kill(2) would signal a whole process group then.
 */
export function killProcess(pid: number): void {
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
