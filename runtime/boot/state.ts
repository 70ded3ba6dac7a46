/** What is in which slot and which is booted next: one small durable document, kept in two generations. */
import type { BootSlot, StorageBinding } from '../bindings/bindings.ts';
import { encode, load } from '../bindings/generations.ts';

export interface Installed {
  readonly version: string;
  /** SHA-256 of the slot's manifest. */
  readonly manifest: string;
  /** SHA-256 of the factory image's bundle when this image was installed. */
  readonly factory?: string;
}

/** Of the primary image while it is new. */
export interface Trial {
  /** It came up once. */
  readonly good: boolean;
  /** Starts until then, each counted before it was made. */
  readonly starts: number;
  /** Of those, how many the image itself was seen to end. */
  readonly failures: number;
  /** Since it was good, in all its runs, as a clock that nobody sets counts them. */
  readonly ranMs: number;
  /** In its first hour, and from then on anew. */
  readonly crashes: number;
}

export interface BootState {
  readonly primary: BootSlot;
  /** What runs when the primary one does not come up. */
  readonly fallback: BootSlot;
  /** Null once it is of long standing. */
  readonly trial: Trial | null;
  readonly slots: { readonly a?: Installed; readonly b?: Installed };
  /** Versions that were rolled back, newest last. */
  readonly failed: readonly string[];
  /** What was booted until a newer factory image came with the package. */
  readonly superseded?: { readonly slot: 'a' | 'b'; readonly version: string };
}

/** A box as it left the factory, or one whose state cannot be read: the factory image can always be had. */
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

/** The newest that is whole; that of a box from the factory where there is none. Never rejects. */
export const readState = async (storage: StorageBinding): Promise<BootState> =>
  (await newest(storage))?.state ?? FACTORY_STATE;

/** Never over the newest: with one of the two damaged, what is left is one change behind at most. */
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

/** Total: false for anything that `writeState` would not have written. */
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

/** A new image in a slot, to be booted next; `running` is what it falls back to. */
export const installed = (state: BootState, slot: 'a' | 'b', image: Installed, running: BootSlot): BootState => ({
  ...withoutSuperseded(state),
  primary: slot,
  fallback: running,
  trial: NEW,
  slots: { ...state.slots, [slot]: image },
});

const changed = (state: BootState, change: (trial: Trial) => Partial<Trial>): BootState =>
  state.trial === null ? state : { ...state, trial: { ...state.trial, ...change(state.trial) } };

/** The primary image came up. */
export const good = (state: BootState): BootState => changed(state, () => ({ good: true }));

/** One more start of an image that was not good yet. */
export const tried = (state: BootState): BootState => changed(state, ({ starts }) => ({ starts: starts + 1 }));

/** That start was ended by the image before it was good. */
export const failedOnce = (state: BootState): BootState =>
  changed(state, ({ failures }) => ({ failures: failures + 1 }));

/** That start was none that says anything of the image. */
export const untried = (state: BootState): BootState =>
  changed(state, ({ starts }) => ({ starts: Math.max(0, starts - 1) }));

export interface Probation {
  /** The first hour, and the day after it. */
  readonly firstMs: number;
  readonly thenMs: number;
  /** Crashes in either that send it back. */
  readonly crashes: number;
}

/** A new image ran on for so long, and crashed or not. Of long standing when both spells are over. */
export function ran(state: BootState, ms: number, crashed: boolean, probation: Probation): BootState {
  const { trial } = state;
  if (trial === null) return state;
  const ranMs = trial.ranMs + ms;
  const passes = trial.ranMs < probation.firstMs && ranMs >= probation.firstMs;
  const crashes = (passes ? 0 : trial.crashes) + (crashed ? 1 : 0);
  const over = ranMs >= probation.firstMs + probation.thenMs && crashes < probation.crashes;
  return { ...state, trial: over ? null : { ...trial, ranMs, crashes } };
}

/** The new image is no good. */
export function rolledBack(state: BootState): BootState {
  const version = state.primary === 'factory' ? undefined : state.slots[state.primary]?.version;
  const failed = version === undefined ? state.failed : [...state.failed.filter((old) => old !== version), version];
  return {
    ...without(state, state.primary),
    primary: state.fallback,
    fallback: 'factory',
    trial: null,
    failed: failed.slice(-MAX_FAILED),
  };
}

export const reverted = (state: BootState): BootState => ({
  ...withoutSuperseded(state),
  primary: 'factory',
  fallback: 'factory',
  trial: null,
});

/** A newer factory image takes the place of the primary one. */
export function superseded(state: BootState): BootState {
  const { primary: slot } = state;
  const image = slot === 'factory' ? undefined : state.slots[slot];
  if (slot === 'factory' || image === undefined) return state;
  return { ...reverted(state), superseded: { slot, version: image.version } };
}

/** A slot's content is no longer known; whatever pointed at it points at the factory image. */
export function without(state: BootState, slot: BootSlot): BootState {
  if (slot === 'factory') return state;
  const { [slot]: _forgotten, ...slots } = state.slots;
  return { ...state, slots, fallback: state.fallback === slot ? 'factory' : state.fallback };
}

function withoutSuperseded(state: BootState): BootState {
  const { superseded: _over, ...rest } = state;
  return rest;
}
