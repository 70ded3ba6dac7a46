/** What is in which slot and which is booted next: one small durable document. */
import type { BootSlot, StorageBinding } from '../bindings/bindings.ts';

export interface Installed {
  readonly version: string;
  /** SHA-256 of the slot's manifest. */
  readonly manifest: string;
}

export interface BootState {
  readonly primary: BootSlot;
  /** What runs when the primary one does not come up. */
  readonly fallback: BootSlot;
  /** How often the primary slot was started since it was installed; null once it was good. */
  readonly tries: number | null;
  readonly slots: { readonly a?: Installed; readonly b?: Installed };
  /** Versions that were rolled back, newest last. */
  readonly failed: readonly string[];
}

/** A box as it left the factory, or one whose state cannot be read: the factory image can always be had. */
const FACTORY_STATE: BootState = {
  primary: 'factory',
  fallback: 'factory',
  tries: null,
  slots: {},
  failed: [],
};

const NAME = 'state.json';
const MAX_FAILED = 8;
const SLOTS: readonly unknown[] = ['a', 'b', 'factory'];

export async function readState(storage: StorageBinding): Promise<BootState> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await storage.read(NAME);
  } catch {
    return FACTORY_STATE;
  }
  return bytes === undefined ? FACTORY_STATE : (parse(Buffer.from(bytes).toString()) ?? FACTORY_STATE);
}

export const writeState = (storage: StorageBinding, state: BootState): Promise<void> =>
  storage.write(NAME, Buffer.from(`${JSON.stringify(state)}\n`));

/** Total: undefined for anything that `writeState` would not have written. */
function parse(text: string): BootState | undefined {
  let found: Partial<BootState> | null;
  try {
    found = JSON.parse(text) as Partial<BootState> | null;
  } catch {
    return undefined;
  }
  if (typeof found !== 'object' || found === null) return undefined;
  const { primary, fallback, tries, slots, failed } = found;
  const sound =
    SLOTS.includes(primary) &&
    SLOTS.includes(fallback) &&
    (tries === null || Number.isSafeInteger(tries)) &&
    typeof slots === 'object' &&
    slots !== null &&
    isInstalled(slots.a) &&
    isInstalled(slots.b) &&
    Array.isArray(failed) &&
    failed.every((version) => typeof version === 'string');
  return sound ? (found as BootState) : undefined;
}

const isInstalled = (slot: Partial<Installed> | undefined): boolean =>
  slot === undefined || (typeof slot?.version === 'string' && typeof slot.manifest === 'string');

/** A new image in a slot, to be booted next; `running` is what it falls back to. */
export const installed = (state: BootState, slot: 'a' | 'b', image: Installed, running: BootSlot): BootState => ({
  ...state,
  primary: slot,
  fallback: running,
  tries: 0,
  slots: { ...state.slots, [slot]: image },
});

/** The primary image came up. */
export const good = (state: BootState): BootState => ({ ...state, tries: null });

/** One more start of an image on trial. */
export const tried = (state: BootState): BootState =>
  state.tries === null ? state : { ...state, tries: state.tries + 1 };

/** The image on trial did not come up. */
export function rolledBack(state: BootState): BootState {
  const version = state.primary === 'factory' ? undefined : state.slots[state.primary]?.version;
  const failed = version === undefined ? state.failed : [...state.failed.filter((old) => old !== version), version];
  return {
    ...without(state, state.primary),
    primary: state.fallback,
    fallback: 'factory',
    tries: null,
    failed: failed.slice(-MAX_FAILED),
  };
}

export const reverted = (state: BootState): BootState => ({
  ...state,
  primary: 'factory',
  fallback: 'factory',
  tries: null,
});

/** A slot's content is no longer known; whatever pointed at it points at the factory image. */
export function without(state: BootState, slot: BootSlot): BootState {
  if (slot === 'factory') return state;
  const { [slot]: _forgotten, ...slots } = state.slots;
  return { ...state, slots, fallback: state.fallback === slot ? 'factory' : state.fallback };
}
