import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLinks } from '../../runtime/bindings/native/links.ts';
import { until } from '../node.ts';

/** A program in place of ip(8): says a line, notes that it was started, and does what is said. */
function program(then: string) {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-links-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [command, starts] = [join(directory, 'ip'), join(directory, 'starts')];
  writeFileSync(command, `#!/bin/sh\necho "$@ $$" >> ${starts}\necho '2: lan0 inet 192.0.2.2/24'\n${then}\n`);
  chmodSync(command, 0o755);
  const started = () => readFileSync(starts, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  return { command, started };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the links of this machine', () => {
  it('are its interfaces that are up, without loopback, with their addresses and prefixes', () => {
    const listed = createLinks()
      .list()
      .map(({ name, addresses }) => [name, addresses.map(({ address }) => address)]);
    const expected = Object.entries(networkInterfaces())
      .map(
        ([name, found = []]) =>
          [name, found.filter(({ internal }) => !internal).map(({ address }) => address)] as const,
      )
      .filter(([, addresses]) => addresses.length > 0);
    expect(listed).toEqual(expected);
    expect(createLinks({ command: '/nowhere/ip' }).list()).toEqual(createLinks().list());
  });

  it('are watched by ip monitor, which ends with the watch', async () => {
    const { command, started } = program('exec sleep 60');
    let changes = 0;
    const end = createLinks({ command, beginMs: 1, restartMs: 1 }).watch(() => {
      changes += 1;
    });
    await until(() => changes > 0);
    const [line = ''] = started();
    expect(line).toMatch(/^-o monitor link address \d+$/);
    const pid = Number(line.split(' ').at(-1));
    end();
    await until(() => !isAlive(pid));
    expect(started()).toHaveLength(1);
  });

  it('are watched by one program for all who watch, which ends with the last of them', async () => {
    const { command, started } = program('exec sleep 60');
    const { watch } = createLinks({ command, beginMs: 1, restartMs: 1 });
    const told = [vi.fn(), vi.fn()];
    const ends = told.map((each) => watch(each));
    await until(() => told.every(({ mock }) => mock.calls.length > 0));
    const pid = Number(started()[0]?.split(' ').at(-1));
    ends[0]?.();
    ends[0]?.();
    expect(isAlive(pid)).toBe(true);
    ends[1]?.();
    await until(() => !isAlive(pid));
    expect(started()).toHaveLength(1);
  });

  it('are looked at once more when the program is started, which the start of a node does not wait for', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { command, started } = program('exec sleep 60');
    const found = [[], [{ name: 'lan0', mac: '', addresses: [] }]];
    const changed = vi.fn();
    const end = createLinks({ command, list: () => found.shift() ?? [] }).watch(changed);
    expect([changed.mock.calls.length, started().length]).toEqual([0, 0]);
    vi.runOnlyPendingTimers();
    expect(changed).toHaveBeenCalledOnce();
    end();
  });

  it('are watched on when the program ends', async () => {
    const { command, started } = program('exit 1');
    const end = createLinks({ command, beginMs: 1, restartMs: 1 }).watch(() => {});
    onTestFinished(() => end());
    await until(() => started().length > 2);
  });

  it('are not listed any more after a watch that ended in the moment it could not begin', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const end = createLinks({ command: '/nowhere/ip', beginMs: 0 }).watch(() => {});
    vi.advanceTimersByTime(0);
    end();
    // The program is found missing a tick later.
    await new Promise(setImmediate);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are listed now and then where there is no such program, and a change is told', async () => {
    let listed = 0;
    let changes = 0;
    const list = () => {
      listed += 1;
      return listed < 4 ? [] : [{ name: 'lan0', mac: '', addresses: [] }];
    };
    const end = createLinks({ command: '/nowhere/ip', beginMs: 1, relistMs: 1, list }).watch(() => {
      changes += 1;
    });
    await until(() => listed > 6);
    end();
    const last = listed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([changes, listed]).toEqual([1, last]);
  });
});
