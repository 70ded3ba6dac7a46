/** The boot state: the content of each slot and which one is booted. A small durable document in two generations. */
import type { BootSlot } from '../bindings/boot.ts';
import { encode, load } from '../bindings/generations.ts';
import type { StorageBinding } from '../bindings/storage.ts';

/** The image in a slot. */
export interface Installed {
  readonly version: string;
  /** SHA-256 of the slot's manifest. */
  readonly manifest: string;
  /** SHA-256 of the factory image's bundle when this image was installed. */
  readonly factory?: string;
}

/** Counters of the primary image while it is on trial. */
export interface Trial {
  /** Whether it has sent `good` once. */
  readonly good: boolean;
  /** Number of starts until then, each counted before it is made. */
  readonly starts: number;
  /** How many of those starts the image itself ended, as the launcher observed. */
  readonly failures: number;
  /** Total run time since it was good, by the monotonic clock. */
  readonly ranMs: number;
  /** Number of crashes in its first hour; then counted again from 0. */
  readonly crashes: number;
}

/** The whole document. */
export interface BootState {
  readonly primary: BootSlot;
  /** The slot that is booted if the primary one fails. */
  readonly fallback: BootSlot;
  /** Null if the primary image is not on trial. */
  readonly trial: Trial | null;
  readonly slots: { readonly a?: Installed; readonly b?: Installed };
  /** Versions that were rolled back, newest last. */
  readonly failed: readonly string[];
  /** Since the last roll back, no image has become good that could report it. */
  readonly isRollbackUntold?: true;
  /** The image that was booted until the package brought a newer factory image. */
  readonly superseded?: { readonly slot: 'a' | 'b'; readonly version: string };
}

/** The initial state, also used if the stored one cannot be read: the factory image is always available. */
const FACTORY_STATE: BootState = {
  primary: 'factory',
  fallback: 'factory',
  trial: null,
  slots: {},
  failed: [],
};

const NAMES = ['state.a', 'state.b'] as const;
const NEW: Trial = { good: false, starts: 0, failures: 0, ranMs: 0, crashes: 0 };
const MAX_FAILED = 8;
const SLOTS: readonly unknown[] = ['a', 'b', 'factory'];

/** The newest valid generation, or the initial state. Never rejects. */
export const readState = async (storage: StorageBinding): Promise<BootState> =>
  (await newest(storage))?.state ?? FACTORY_STATE;

/**
 * Writes the older of the two copies, durably: if one copy is damaged, the other is at most one change behind. Rejects
 * with the storage's error.
 */
export async function writeState(storage: StorageBinding, state: BootState): Promise<void> {
  const last = await newest(storage);
  const name = NAMES.find((each) => each !== last?.name) ?? NAMES[0];
  await storage.write(name, encode({ number: (last?.number ?? 0) + 1, fields: { state } }));
}

async function newest(storage: StorageBinding) {
  const found = await Promise.all(NAMES.map((name) => load(storage, name)));
  return found
    .flatMap(({ name, generation }) => {
      const state = generation?.fields['state'];
      return generation !== undefined && isState(state) ? [{ name, number: generation.number, state }] : [];
    })
    .sort((x, y) => y.number - x.number)[0];
}

/** False for anything that `writeState` would not have written. */
function isState(value: unknown): value is BootState {
  if (typeof value !== 'object' || value === null) return false;
  const { primary, fallback, trial, slots, failed } = value as Partial<BootState>;
  return (
    SLOTS.includes(primary) &&
    SLOTS.includes(fallback) &&
    (trial === null || isTrial(trial)) &&
    typeof slots === 'object' &&
    slots !== null &&
    isInstalled(slots.a) &&
    isInstalled(slots.b) &&
    Array.isArray(failed) &&
    failed.every((version) => typeof version === 'string')
  );
}

const isTrial = (trial: Partial<Trial> | undefined): boolean =>
  typeof trial?.good === 'boolean' &&
  [trial.starts, trial.failures, trial.ranMs, trial.crashes].every((count) => Number.isSafeInteger(count));

const isInstalled = (slot: Partial<Installed> | undefined): boolean =>
  slot === undefined || (typeof slot?.version === 'string' && typeof slot.manifest === 'string');

/** The state with a new image in a slot, which is booted next, on trial; `running` is its fallback. */
export const installed = (state: BootState, slot: 'a' | 'b', image: Installed, running: BootSlot): BootState => ({
  ...withoutNews(state),
  primary: slot,
  fallback: running,
  trial: NEW,
  slots: { ...state.slots, [slot]: image },
});

const changed = (state: BootState, change: (trial: Trial) => Partial<Trial>): BootState =>
  state.trial === null ? state : { ...state, trial: { ...state.trial, ...change(state.trial) } };

/** The state after the primary image has sent `good`; it was told of a roll back when it was started. */
export function good(state: BootState): BootState {
  const { isRollbackUntold: _told, ...rest } = state;
  return changed(rest, () => ({ good: true }));
}

/** The state with one more start of an image that is not good yet. */
export const tried = (state: BootState): BootState => changed(state, ({ starts }) => ({ starts: starts + 1 }));

/** The state after the image ended or failed before it was good. */
export const failedOnce = (state: BootState): BootState =>
  changed(state, ({ failures }) => ({ failures: failures + 1 }));

/** The state with one start fewer, of an image that is not good yet: for a start that did not end by the image. */
export const untried = (state: BootState): BootState =>
  changed(state, ({ good: isGood, starts }) => (isGood ? {} : { starts: Math.max(0, starts - 1) }));

/** How long a new image is on trial. */
export interface Probation {
  /** Length of the first period (an hour) and of the second (a day). */
  readonly firstMs: number;
  readonly thenMs: number;
  /** Number of crashes in one period after which it is rolled back. */
  readonly crashes: number;
}

/**
 * The state after a good image on trial ran for `ms` more, and whether it crashed. Its trial ends with the second
 * period.
 */
export function ran(state: BootState, ms: number, crashed: boolean, probation: Probation): BootState {
  const { trial } = state;
  if (trial === null) return state;
  const ranMs = trial.ranMs + ms;
  const passes = trial.ranMs < probation.firstMs && ranMs >= probation.firstMs;
  const crashes = (passes ? 0 : trial.crashes) + (crashed ? 1 : 0);
  const over = ranMs >= probation.firstMs + probation.thenMs && crashes < probation.crashes;
  return { ...state, trial: over ? null : { ...trial, ranMs, crashes } };
}

/** The state after a roll back: boots the fallback, empties the primary slot and lists its version as failed. */
export function rolledBack(state: BootState): BootState {
  const version = state.primary === 'factory' ? undefined : state.slots[state.primary]?.version;
  const failed = version === undefined ? state.failed : [...state.failed.filter((old) => old !== version), version];
  return {
    ...without(state, state.primary),
    primary: state.fallback,
    fallback: 'factory',
    trial: null,
    failed: failed.slice(-MAX_FAILED),
    isRollbackUntold: true,
  };
}

/** The state that boots the factory image; the slots keep their content. */
export const reverted = (state: BootState): BootState => ({
  ...withoutNews(state),
  primary: 'factory',
  fallback: 'factory',
  trial: null,
});

/** The state that boots a newer factory image instead of the primary slot, which keeps its content. */
export function superseded(state: BootState): BootState {
  const { primary: slot } = state;
  const image = slot === 'factory' ? undefined : state.slots[slot];
  if (slot === 'factory' || image === undefined) return state;
  return { ...reverted(state), superseded: { slot, version: image.version } };
}

/**
 * The state that boots the image again which a newer factory image superseded: the factory image is the one before again, as
 * when a system that was tried is no good.
 */
export function restored(state: BootState): BootState {
  const { superseded: over } = state;
  if (over === undefined) return state;
  return { ...withoutNews(state), primary: over.slot };
}

/** The state with an empty slot; if it was the fallback, the factory image is. */
export function without(state: BootState, slot: BootSlot): BootState {
  if (slot === 'factory') return state;
  const { [slot]: _forgotten, ...slots } = state.slots;
  return { ...state, slots, fallback: state.fallback === slot ? 'factory' : state.fallback };
}

/** The state without what only the image that was to be booted until now should be told. */
function withoutNews(state: BootState): BootState {
  const { superseded: _over, isRollbackUntold: _untold, ...rest } = state;
  return rest;
}
