/** Which image is started, how often, and what happens when it does not come up. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { until } from '../node.ts';
import { freePort } from '../ports.ts';
import { asks, CRASHES, GOOD, HANGS, makeBox } from './box.ts';

const TRIAL = { good: false, starts: 0, failures: 0, ranMs: 0, crashes: 0 };

describe('the launcher', () => {
  it('starts the factory image on a new box, and tells it so', async () => {
    const box = await makeBox(GOOD);
    box.powerOn();
    await box.started(1);
    expect(box.starts()).toEqual([
      {
        ...{ name: 'factory', slot: 'factory', reason: 'power_on', failed: [], incoming: box.slot('a') },
        launcher: process.pid,
      },
    ]);
  });

  it('has the threads of an image share one heap, and free memory given back to the system (mallopt(3))', async () => {
    const box = await makeBox(
      `write({ image: 'allocator', answer: { id: 0, error: process.env.MALLOC_ARENA_MAX } });
      write({ image: 'allocator', answer: { id: 1, error: process.env.MALLOC_TRIM_THRESHOLD_ } }); ${GOOD}`,
    );
    box.powerOn();
    await until(() => box.noted().length === 3);
    expect(box.noted().flatMap(({ answer }) => (answer ? [answer.error] : []))).toEqual(['1', '262144']);
  });

  it('gives back what starting an image has left in its own memory, once that is good', async () => {
    const box = await makeBox(GOOD);
    const asked: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind, flags } = (entry as PerformanceEntry & { readonly detail: Record<'kind' | 'flags', number> })
          .detail;
        if (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) asked.push(kind);
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    box.powerOn({ collectMs: 1 });
    await until(() => asked.includes(constants.NODE_PERFORMANCE_GC_MAJOR));
    observer.disconnect();
    expect(box.starts()).toHaveLength(1);
  });

  it('starts an installed image on trial, and keeps it once it is good', async () => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', GOOD);
    expect(box.bootState()).toMatchObject({ primary: 'a', trial: { good: false, starts: 0 } });
    box.powerOn();
    await until(() => box.bootState().trial?.good === true);
    expect(box.starts()).toMatchObject([{ name: '2.0.0', slot: 'a', onTrial: true, incoming: box.slot('b') }]);
    await box.powerOff();
    box.powerOn();
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '2.0.0', reason: 'restart' });
    expect(box.starts()[1]?.onTrial).toBeUndefined();
  });

  it.each([
    ['exits at start', CRASHES],
    ['throws at start', "throw new Error('no');"],
    ['takes its own file away and ends', 'fs.unlinkSync(process.argv[1]); process.exit(1);'],
  ])('goes back by itself from an image that %s', async (_, then) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', GOOD);
    box.powerOn();
    await until(() => box.bootState().trial?.good === true);
    await box.powerOff();
    await box.install('b', '3.0.0', then, 'a');
    box.powerOn();
    await until(() => box.starts().some(({ reason }) => reason === 'rollback'));
    const after = box.starts().slice(1);
    expect(after.at(-1)).toMatchObject({ name: '2.0.0', slot: 'a', reason: 'rollback', failed: ['3.0.0'] });
    expect(after.length - 1).toBeLessThanOrEqual(3);
    expect(box.bootState()).toMatchObject({ primary: 'a', fallback: 'factory', trial: null, failed: ['3.0.0'] });
  });

  it.each([
    ['hangs silently', HANGS],
    ['hangs its event loop', 'for (;;);'],
  ])('ends an image that %s, and goes back', async (_, then) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', then);
    // The last of its three starts; a start takes a while on a busy machine.
    await box.setBootState({ ...box.bootState(), trial: { ...TRIAL, starts: 2, failures: 2 } });
    box.powerOn({ goodMs: 3000 });
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: 'factory', reason: 'rollback', failed: ['2.0.0'] });
    expect(box.starts()[1]?.previous?.detail).toBe('did not come up in 3 s');
  });

  it.each([
    ['the power did', { machine: 'another boot' }],
    ['the memory of the machine did', { oomKills: -1 }],
  ])('counts a start before it is made, and what %s is not held against the image too soon', async (_, run) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', HANGS);
    for (let cut = 1; cut <= 4; cut += 1) {
      box.powerOn({ goodMs: 60_000 });
      await box.started(cut);
      expect(box.bootState()).toMatchObject({ primary: 'a', trial: { starts: cut, failures: 0 } });
      await box.powerOff();
      box.amendLastRun(run);
    }
    // It may be the image that ends them.
    await box.setBootState({ ...box.bootState(), trial: { ...TRIAL, starts: 10 } });
    box.powerOn({ goodMs: 60_000 });
    await box.started(5);
    expect(box.starts()[4]).toMatchObject({ name: 'factory', reason: 'rollback', failed: ['2.0.0'] });
  });

  it('tells of a roll back until an image is good, whoever was ended in between', async () => {
    const box = await makeBox(`if (fs.existsSync(note + '.up')) { ${GOOD} } else { ${HANGS} }`);
    await box.install('a', '2.0.0', CRASHES);
    await box.setBootState({ ...box.bootState(), trial: { ...TRIAL, starts: 3, failures: 3 } });
    for (let start = 1; start <= 2; start += 1) {
      box.powerOn({ goodMs: 60_000 });
      await box.started(start);
      await box.powerOff();
    }
    writeFileSync(join(box.root, 'note.ndjson.up'), '');
    box.powerOn({ goodMs: 60_000 });
    await until(() => !('isRollbackUntold' in box.bootState()));
    await box.powerOff();
    box.powerOn({ goodMs: 60_000 });
    await box.started(4);
    expect(box.starts().map(({ reason }) => reason)).toEqual(['rollback', 'rollback', 'rollback', 'restart']);
  });

  it('starts no image of which a byte was changed', async () => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', GOOD);
    const path = join(box.slot('a'), 'main.js');
    writeFileSync(path, `${readFileSync(path, 'utf8')}//`);
    box.powerOn();
    await box.started(1);
    expect(box.starts()).toMatchObject([{ name: 'factory', reason: 'rollback', failed: ['2.0.0'] }]);
  });

  it('starts a good image again when it ends, and says how it ended', async () => {
    const box = await makeBox(`${GOOD}
      const runs = fs.readFileSync(note, 'utf8').split('\\n').length - 1;
      const ends = [() => process.exit(75), () => process.exit(70), () => process.abort(), () => process.kill(process.pid, 'SIGKILL')];
      setTimeout(ends[runs - 1] ?? (() => {}), 30);`);
    box.powerOn();
    await box.started(5);
    expect(box.starts().map(({ reason, previous }) => [reason, previous?.detail])).toEqual([
      ['power_on', undefined],
      ['restart', 'exit code 75'],
      ['crash', 'exit code 70'],
      ['out_of_memory', 'ended by SIGABRT'],
      ['crash', 'ended by SIGKILL'],
    ]);
  });

  it('ends a good image that makes no progress any more, and starts it again', async () => {
    const box = await makeBox("say({ type: 'good' });setInterval(() => {}, 1000);", { aliveMs: 100 });
    box.powerOn();
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ reason: 'watchdog', previous: { detail: 'made no progress in 0.1 s' } });
  });

  it.each([
    ['does not come up', CRASHES],
    ['comes up and ends soon', `${GOOD} setTimeout(() => process.exit(70), 30);`],
  ])('sets an image that was good aside when it %s three times in a row, for as long as it lives', async (_, then) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', then);
    await box.setBootState({ ...box.bootState(), trial: null });
    box.powerOn();
    await box.started(4);
    expect(box.starts().map(({ name, reason }) => [name, reason])).toEqual([
      ['2.0.0', 'power_on'],
      ['2.0.0', 'crash'],
      ['2.0.0', 'crash'],
      ['factory', 'rollback'],
    ]);
    expect(box.bootState()).toMatchObject({ primary: 'a', failed: [] });
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ] as const)(
    'has a new image written over slot %s, and never over %s, which it would go back to',
    async (last, kept) => {
      const box = await makeBox(GOOD);
      await box.install(kept, '1.0.0', GOOD);
      await box.install(last, '2.0.0', GOOD, kept);
      await box.setBootState({ ...box.bootState(), trial: null });
      // Neither can be read for now.
      for (const slot of [last, kept]) renameSync(box.slot(slot), box.slot(`${slot}.away`));
      box.powerOn();
      await box.started(1);
      expect(box.bootState()).toMatchObject({ primary: last, fallback: kept });
      expect(box.starts()).toMatchObject([{ name: 'factory', incoming: box.slot(last) }]);
    },
  );

  it('starts one that was good anew however often it hangs', async () => {
    const box = await makeBox(GOOD, { aliveMs: 100 });
    await box.install('a', '2.0.0', `say({ type: 'good' }); ${HANGS}`);
    await box.setBootState({ ...box.bootState(), trial: null });
    box.powerOn();
    await box.started(5);
    expect(box.starts().map(({ name }) => name)).toEqual(Array.from({ length: 5 }, () => '2.0.0'));
  });

  it('goes back from an image whose start cannot be counted, and needs no disk for it', async () => {
    const box = await makeBox(GOOD);
    const state = JSON.stringify(join(box.root, 'state/boot'));
    await box.install('a', '2.0.0', `fs.rmSync(${state}, { recursive: true }); ${CRASHES}`);
    box.powerOn();
    await box.started(2);
    expect(box.starts()).toMatchObject([
      { name: '2.0.0', reason: 'power_on' },
      { name: 'factory', reason: 'rollback', failed: ['2.0.0'] },
    ]);
  });

  it('ends the image when it is told to end, and kills one that does not listen', async () => {
    const box = await makeBox(`process.on('SIGTERM', () => {}); ${GOOD}`, { stopMs: 50 });
    box.powerOn();
    await box.started(1);
    await box.powerOff();
    expect(box.starts()).toHaveLength(1);
  });
});

/** Has the image of the order installed, once, and ends. */
const SUCCEEDED = `${GOOD} ${asks({ type: 'clear', id: 1 })}
  const poll = setInterval(() => {
    if (!fs.existsSync(note + '.order')) return;
    clearInterval(poll);
    const order = fs.readFileSync(note + '.order', 'utf8');
    fs.unlinkSync(note + '.order');
    say(JSON.parse(order));
  }, 10);
  process.on('message', ({ id }) => id === 2 && process.exit(75));`;

describe('a running image', () => {
  it('has its successor started with the reason update, and falls back to where it came from', async () => {
    const box = await makeBox(SUCCEEDED);
    box.powerOn();
    await until(() => box.noted().some(({ answer }) => answer?.id === 1));
    await box.deliver('a', '2.0.0', GOOD);
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '2.0.0', slot: 'a', reason: 'update', incoming: box.slot('b') });
    expect(box.bootState()).toMatchObject({ primary: 'a', fallback: 'factory' });
  });

  it.each([
    ['ends soon after it came up', `${GOOD} setTimeout(() => process.exit(70), 30);`, 'crash'],
    ['comes up and hangs', `${asks({ type: 'good' })} ${HANGS}`, 'watchdog'],
  ])('is booted again when its successor %s three times in a row', async (_, then, end) => {
    const box = await makeBox(SUCCEEDED, { aliveMs: 1500 });
    box.powerOn();
    await until(() => box.noted().some(({ answer }) => answer?.id === 1));
    await box.deliver('a', '2.0.0', then);
    await box.started(5);
    expect(box.starts().map(({ name, reason }) => [name, reason])).toEqual([
      ['factory', 'power_on'],
      ['2.0.0', 'update'],
      ['2.0.0', end],
      ['2.0.0', end],
      ['factory', 'rollback'],
    ]);
    // It is not fetched again.
    expect(box.bootState()).toMatchObject({ primary: 'factory', trial: null, failed: ['2.0.0'] });
  });

  it('has a better successor started in the slot of one that was given up', async () => {
    const box = await makeBox(SUCCEEDED);
    box.powerOn();
    await until(() => box.noted().some(({ answer }) => answer?.id === 1));
    await box.deliver('a', '2.0.0', CRASHES);
    await box.started(5);
    expect(box.bootState()).toMatchObject({ primary: 'factory', failed: ['2.0.0'] });
    await box.deliver('a', '2.0.1', GOOD);
    await until(() => box.bootState().trial?.good === true);
    expect(box.starts().at(-1)).toMatchObject({ name: '2.0.1', slot: 'a', reason: 'update' });
    expect(box.bootState()).toMatchObject({ primary: 'a', failed: ['2.0.0'] });
  });

  it('has its slots cleared, and its factory image booted, when it asks', async () => {
    const box = await makeBox(GOOD);
    await box.install(
      'a',
      '2.0.0',
      `${GOOD} setTimeout(() => { ${asks({ type: 'clear', id: 1 })} ${asks({ type: 'revert', id: 2 })} }, 50);
       process.on('message', ({ id }) => id === 2 && process.exit(75));`,
    );
    box.powerOn();
    await box.started(2);
    expect(box.noted().filter(({ answer }) => answer)).toMatchObject([{ answer: { id: 1 } }, { answer: { id: 2 } }]);
    expect(box.noted().find(({ answer }) => answer?.error)).toBeUndefined();
    expect(box.starts()[1]).toMatchObject({ name: 'factory', reason: 'revert' });
  });

  it.each([
    ['does not come up', CRASHES],
    [
      'asks over and over',
      `${asks({ type: 'good' })}${asks({ type: 'clear', id: 1 })}${asks({ type: 'revert', id: 2 })}`.repeat(50) + HANGS,
    ],
  ])('that %s costs the state seven writes at most', async (_, then) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', then);
    const written = box.countStateWrites();
    box.powerOn({ goodMs: 2000, aliveMs: 200 });
    await until(() => box.starts().at(-1)?.name === 'factory');
    // Clearing its slot and naming the new image were two more.
    expect(written() + 2).toBeLessThanOrEqual(7);
    expect(written()).toBeGreaterThan(0);
  });

  it('may not replace what it would fall back to while it is on trial', async () => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', `${asks({ type: 'clear', id: 1 })} ${HANGS}`);
    box.powerOn();
    await until(() => box.noted().some(({ answer }) => answer));
    expect(box.noted().at(-1)?.answer?.error).toMatch('has not been found good yet');
  });

  it('has nothing installed that is not what it says', async () => {
    const box = await makeBox(
      `${GOOD} ${asks({ type: 'install', id: 1, version: '9.9.9', manifest: '0'.repeat(64) })}`,
    );
    box.powerOn();
    await until(() => box.noted().some(({ answer }) => answer));
    expect(box.noted().at(-1)?.answer).toMatchObject({ id: 1, error: expect.stringContaining('ENOENT') });
  });
});

describe('with no image that comes up', () => {
  it('the port says why, and everything is tried again', async () => {
    const box = await makeBox(CRASHES, { outOfOrderMs: 400 });
    const port = await freePort();
    box.powerOn({ port });
    let answer: Response | undefined;
    await until(async () => {
      answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
      return answer !== undefined;
    });
    expect(answer?.status).toBe(503);
    const fields = ['x-content-type-options', 'x-frame-options', 'cross-origin-resource-policy', 'referrer-policy'];
    expect(fields.map((name) => answer?.headers.get(name))).toEqual(['nosniff', 'DENY', 'same-origin', 'no-referrer']);
    expect(await answer?.json()).toEqual({ ok: false, error: 'no_image', detail: 'exit code 3' });
    box.refit(GOOD);
    await box.started(4);
    expect(box.starts()).toHaveLength(4);
  });
});
