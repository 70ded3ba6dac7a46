/** What is taken for a boot state, and what each change makes of one: without a disk, a clock or an image. */
import { describe, expect, it } from 'vitest';
import { encode, load } from '../../runtime/bindings/generations.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import * as changes from '../../runtime/boot/state.ts';
import { type BootState, readState, writeState } from '../../runtime/boot/state.ts';

const ONE = { version: '1.0.0', manifest: 'of one' };
const TWO = { version: '2.0.0', manifest: 'of two' };
const FACTORY: BootState = { primary: 'factory', fallback: 'factory', trial: null, slots: {}, failed: [] };
const TRIAL = { good: false, starts: 3, failures: 2, ranMs: 40, crashes: 1 };
/** Slot b on trial, slot a behind it, and all that was ever to be told. */
const NEWS: BootState = {
  ...{ primary: 'b', fallback: 'a', trial: TRIAL, slots: { a: ONE, b: TWO }, failed: ['0.9.0'] },
  ...{ isRollbackUntold: true, superseded: { slot: 'a', version: ONE.version } },
};
const { isRollbackUntold: _untold, superseded: _over, ...STATE } = NEWS;

describe('a boot state', () => {
  const read = async (state: unknown) => {
    const storage = new VirtualStorage();
    await storage.write('state.b', encode({ number: 1, fields: { state } }));
    return readState(storage);
  };

  it.each<object>([FACTORY, STATE, NEWS, { ...STATE, trial: null, slots: { b: TWO } }])(
    'is read as it was written: %j',
    async (state) => expect(await read(state)).toStrictEqual(state),
  );

  it('is written over the older copy, with the number behind the newest', async () => {
    const storage = new VirtualStorage();
    for (const failed of ['1', '2', '3']) await writeState(storage, { ...STATE, failed: [failed] });
    const copies = await Promise.all(['state.a', 'state.b'].map((name) => load(storage, name)));
    expect(copies.map(({ generation }) => generation?.number)).toEqual([3, 2]);
    expect((await readState(storage)).failed).toEqual(['3']);
  });

  it.each<object>([
    { primary: 'c' },
    { fallback: 'c' },
    { trial: undefined },
    { trial: { ...TRIAL, good: 1 } },
    ...['starts', 'failures', 'ranMs', 'crashes'].map((count) => ({ trial: { ...TRIAL, [count]: 1.5 } })),
    { slots: undefined },
    { slots: null },
    { slots: 'a' },
    { slots: { a: null } },
    { slots: { a: { ...ONE, manifest: 1 } } },
    { slots: { b: { ...TWO, version: 1 } } },
    { failed: { every: true } },
    { failed: ['0.9.0', 1] },
  ])('is none with %j', async (fault) => {
    expect(await read({ ...STATE, ...fault })).toStrictEqual(FACTORY);
  });
});

describe('the trial', () => {
  const trialOf = ({ trial }: BootState) => trial;
  const { tried, failedOnce, untried, good, ran } = changes;

  it('counts starts and failures, and is good once it was', () => {
    expect(trialOf(tried(STATE))).toStrictEqual({ ...TRIAL, starts: 4 });
    expect(trialOf(failedOnce(STATE))).toStrictEqual({ ...TRIAL, failures: 3 });
    expect(good(NEWS)).toStrictEqual({ ...STATE, superseded: NEWS.superseded, trial: { ...TRIAL, good: true } });
  });

  it('has a start that was none taken from it, down to none, until it is good', () => {
    expect(trialOf(untried(STATE))).toStrictEqual({ ...TRIAL, starts: 2 });
    for (const starts of [0, 1]) expect(trialOf(untried({ ...STATE, trial: { ...TRIAL, starts } }))?.starts).toBe(0);
    expect(untried({ ...STATE, trial: { ...TRIAL, good: true } })).toStrictEqual(good(STATE));
  });

  const probation = { firstMs: 100, thenMs: 1000, crashes: 3 };
  // Crashes are counted in its first hour, and anew in the day behind it; three in one of them are too many.
  it.each<[ranMs: number, ms: number, crashes: number, crashed: boolean, left: number | null]>([
    [0, 99, 2, false, 2],
    [0, 99, 2, true, 3],
    [40, 60, 2, false, 0],
    [40, 60, 2, true, 1],
    [99, 5, 2, false, 0],
    [100, 1, 2, true, 3],
    [100, 999, 2, false, 2],
    [100, 1000, 2, false, null],
    [100, 1000, 1, true, null],
    [100, 1000, 2, true, 3],
    [0, 1100, 2, true, null],
  ])(
    'of an image that ran %i ms and %i more, with %i crashes, one more: %s, counts %s',
    (ranMs, ms, crashes, crashed, left) => {
      const trial = left === null ? null : { ...TRIAL, ranMs: ranMs + ms, crashes: left };
      const before = { ...STATE, trial: { ...TRIAL, ranMs, crashes } };
      expect(ran(before, ms, crashed, probation)).toStrictEqual({ ...STATE, trial });
    },
  );

  it('that there is none of has nothing counted', () => {
    const state = { ...STATE, trial: null };
    for (const change of [tried, failedOnce, untried, good]) expect(change(state)).toStrictEqual(state);
    expect(ran(state, 1000, true, probation)).toStrictEqual(state);
  });
});

describe('what is booted', () => {
  const { installed, rolledBack, reverted, superseded, restored, without } = changes;

  it('is a new image, on trial from nothing, with what ran behind it and no news of before', () => {
    const image = { version: '3.0.0', manifest: 'its manifest' };
    const trial = { good: false, starts: 0, failures: 0, ranMs: 0, crashes: 0 };
    expect(installed(NEWS, 'a', image, 'b')).toStrictEqual({
      ...STATE,
      ...{ primary: 'a', fallback: 'b', trial, slots: { a: image, b: TWO } },
    });
  });

  it('is the fallback behind a roll back, whose version is the last of eight that failed, each once', () => {
    const failed = ['2.0.0', ...Array.from({ length: 8 }, (_, n) => `0.${n}.0`)];
    expect(rolledBack({ ...STATE, failed })).toStrictEqual({
      ...{ primary: 'a', fallback: 'factory', trial: null, slots: { a: ONE } },
      ...{ failed: [...failed.slice(2), '2.0.0'], isRollbackUntold: true },
    });
  });

  it.each(['factory', 'b'] as const)(
    'is the fallback of %s without an image, of which no version failed',
    (primary) => {
      const state: BootState = { ...STATE, primary, slots: { a: ONE } };
      expect(rolledBack(state)).toStrictEqual({
        ...{ ...state, primary: 'a', fallback: 'factory', trial: null },
        isRollbackUntold: true,
      });
    },
  );

  it('is the factory image when it is asked for, with the slots as they are', () => {
    expect(reverted(NEWS)).toStrictEqual({ ...STATE, primary: 'factory', fallback: 'factory', trial: null });
  });

  it('is the factory image where it is newer, and the slot again where that is taken back', () => {
    const over = superseded(STATE);
    expect(over).toStrictEqual({ ...reverted(STATE), superseded: { slot: 'b', version: '2.0.0' } });
    expect(restored({ ...over, isRollbackUntold: true })).toStrictEqual({ ...reverted(STATE), primary: 'b' });
    for (const state of [{ ...STATE, slots: {} }, { ...STATE, primary: 'factory' } as const]) {
      expect(superseded(state)).toStrictEqual(state);
      expect(restored(state)).toStrictEqual(state);
    }
  });

  it('is never a slot that was emptied', () => {
    expect(without(STATE, 'a')).toStrictEqual({ ...STATE, fallback: 'factory', slots: { b: TWO } });
    expect(without(STATE, 'b')).toStrictEqual({ ...STATE, slots: { a: ONE } });
    expect(without(STATE, 'factory')).toStrictEqual(STATE);
  });
});
