import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signalChild } from '../../runtime/bindings/native/child.ts';
import { createLinks } from '../../runtime/bindings/native/links.ts';
import { createRadio } from '../../runtime/bindings/native/radio.ts';

/** Runs without signalling anybody: gives the processes that `kill` was called for, by their ids. */
function signalled() {
  const pids: (number | undefined)[] = [];
  const spy = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess) {
    pids.push(this.pid);
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  return pids;
}

describe('a signal', () => {
  it('ends the child it is for', async () => {
    const child = spawn('sleep', ['60']);
    const exit = once(child, 'exit');
    signalChild(child, 'SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('for a child that could not be started goes to nobody, and so not to our own process group', async () => {
    const pids = signalled();
    const child = spawn('/nowhere/program');
    const error = once(child, 'error');
    signalChild(child, 'SIGKILL');
    await error;
    expect(pids).toEqual([]);
  });

  it('is not sent by a watch that ends in the moment it could not begin', () => {
    const pids = signalled();
    vi.stubEnv('PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const end = createLinks({ command: '/nowhere/ip' }).watch(() => {});
    vi.runOnlyPendingTimers();
    end();
    createRadio().watch(() => {})();
    expect(pids).toEqual([]);
  });
});
