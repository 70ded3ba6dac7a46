/**
 * Ends an image that outlives its launcher and does not end by itself: one whose event loop is stuck hears nothing. A
 * shell waits at the other end of a pipe, which the kernel closes however the launcher ends; it takes no part in anything
 * else. (prctl(PR_SET_PDEATHSIG) would do it too, but Node cannot call it, and setpriv(1) needs more than the unit allows.)
 */
import { spawn } from 'node:child_process';
import { signalChild } from '../bindings/native/child.ts';

/** The pipe is closed: the image has these seconds to end in order. */
const SCRIPT = `read _
for i in $(seq "$1"); do kill -0 "$2" 2>/dev/null || exit; sleep 1; done
kill -9 "$2"`;

/** Call what is returned once the image has ended: its number may be given to another process. */
export function guard(pid: number, patienceMs: number): () => void {
  const seconds = String(Math.ceil(patienceMs / 1000));
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'guard', seconds, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there is no shell, an image that hangs is left to whoever watches the launcher.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return () => signalChild(shell, 'SIGKILL');
}
