/** Images that are no good, each in its own way: how many starts they get, and which image runs afterwards. */
import { describe, expect, it } from 'vitest';
import { until } from '../node.ts';
import { GOOD, HANGS, makeBox } from './box.ts';

/** Every start of a busy machine is soon, unless a run is long from the beginning. */
const PATIENCE = { goodMs: 3000, aliveMs: 1500 };
const after = (ms: number) => `${GOOD} setTimeout(() => { throw new Error('late'); }, ${ms});`;

/** Name, what its main.js does, and starts until it is given up. */
const KINDS: readonly [string, string, number][] = [
  ['crashes at start', "throw new Error('no');", 3],
  ['has a syntax error', 'this is no program;', 3],
  ['exits with 0', 'process.exit(0);', 3],
  ['runs out of memory', 'process.abort();', 3],
  ['throws soon after it was good', after(30), 3],
  ['throws when it has run for long', after(30), 5],
  ['hangs after it was good', `say({ type: 'good' }); ${HANGS}`, 3],
  ['is busy for ever', 'for (;;);', 3],
  ['is never good', HANGS, 3],
];

describe('an image that', () => {
  it.each(KINDS)('%s is back on the one before it, and listed as failed', async (_, then, starts) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', then);
    // A start takes a while on a busy machine; an image that is never good has to be waited for.
    box.powerOn({ ...PATIENCE, longRunMs: starts > 3 ? 1 : 60_000 });
    await until(() => box.bootState().failed.length > 0);
    await until(() => box.starts().at(-1)?.name === 'factory');
    // Of the launcher: one with a syntax error does not say itself that it was started.
    expect(box.slotsStarted()).toEqual([...Array.from({ length: starts }, () => 'a'), 'factory']);
    expect(box.bootState()).toMatchObject({ primary: 'factory', trial: null, failed: ['2.0.0'] });
  });
});

it('what comes after an image that is given up is started at once', async () => {
  const box = await makeBox(GOOD);
  await box.install('a', '2.0.0', "throw new Error('no');");
  const trial = { good: false, starts: 2, failures: 2, ranMs: 0, crashes: 0 };
  await box.setBootState({ ...box.bootState(), trial });
  // Longer than anybody waits here.
  box.powerOn({ crashMs: 600_000, longestMs: 600_000 });
  await until(() => box.starts().at(-1)?.name === 'factory');
  expect(box.slotsStarted()).toEqual(['a', 'factory']);
});

describe('a new image that crashes now and then', () => {
  const CRASHES_LATE = after(200);
  const patience = { longRunMs: 100 };

  it('is given up after five crashes, also where the launcher was started anew between them', async () => {
    const box = await makeBox(GOOD, patience);
    await box.install('a', '2.0.0', CRASHES_LATE);
    box.powerOn();
    await until(() => (box.bootState().trial?.crashes ?? 0) >= 2);
    await box.powerOff();
    expect(box.bootState().trial?.crashes).toBeLessThan(5);
    box.powerOn();
    await until(() => box.starts().at(-1)?.name === 'factory');
    expect(box.bootState()).toMatchObject({ primary: 'factory', failed: ['2.0.0'] });
  });

  it('stays when somebody ends it from outside, however often', async () => {
    const box = await makeBox(GOOD, patience);
    await box.install('a', '2.0.0', `${GOOD} setTimeout(() => process.kill(process.pid, 'SIGKILL'), 150);`);
    box.powerOn();
    await box.started(8);
    expect(box.bootState()).toMatchObject({ primary: 'a', trial: { good: true, crashes: 0 }, failed: [] });
  });

  it('is of long standing after its first hour and a day, and then stays', async () => {
    const box = await makeBox(GOOD, { ...patience, firstMs: 50, thenMs: 100, noteMs: 20 });
    await box.install('a', '2.0.0', CRASHES_LATE);
    box.powerOn();
    await box.started(7);
    expect(new Set(box.starts().map(({ name }) => name))).toEqual(new Set(['2.0.0']));
    expect(box.bootState()).toMatchObject({ primary: 'a', trial: null, failed: [] });
  });
});
