import type { ChildProcess } from 'node:child_process';

/**
 * Sends a signal to a child process, or nothing to one that could not be started. `ChildProcess.kill` does not know
 * the difference until the next tick: a failed spawn leaves the process id of libuv's handle unset, and where that
 * reads as 0, kill(2) signals the whole process group: the node, its launcher, and the shell they were started from.
 */
export function signalChild(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined) child.kill(signal);
}

/**
 * Kills a process that is nobody's child here, or not any more. It may have ended since it was looked at. Numbers that
 * are no process's would signal a whole group (kill(2)): nothing is sent to them.
 */
export function killProcess(pid: number): void {
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
