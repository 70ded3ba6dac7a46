/** The settings document on durable storage, in two generations; at start the newest valid one is used. */
import { isDeepStrictEqual } from 'node:util';
import { createTurns } from '../base/turns.ts';
import { encode, type Found, load } from '../bindings/generations.ts';
import type { StorageBinding } from '../bindings/storage.ts';
import { ApiError } from '../kernel/errors.ts';
import type { StoredSettings } from '../kernel/registry.ts';
import { ERASED, type Settings } from '../kernel/settings.ts';

/**
 * What was found at start. `fresh`: nothing was ever stored; `current`: the newest generation; `previous`: one of the
 * two files is invalid, so the settings may be one change behind; `erased`: files existed, but none is valid.
 */
export type Recovered = 'fresh' | 'current' | 'previous' | 'erased';

const SLOTS = ['settings.a', 'settings.b'] as const;
type Slot = (typeof SLOTS)[number];
/** A copy of the last invalid file, for analysis. */
const SET_ASIDE = 'settings.bad';
const DOCUMENT_LIMIT_BYTES = 256 * 1024;

type Sections = Record<string, unknown>;
interface Generation {
  readonly number: number;
  readonly sections: Sections;
}

/**
 * Settings whose `update` is durable when it resolves; it rejects with an ApiError `persist_failed`. At most 256 KiB.
 */
export class SettingsStore implements Settings {
  readonly #storage: StorageBinding;
  #current: Generation;
  /** The file of the next generation: never that of the current one. */
  #next: Slot;
  /** Updates run one after the other. */
  readonly #inTurn = createTurns();

  private constructor(storage: StorageBinding, current: Generation, next: Slot) {
    this.#storage = storage;
    this.#current = current;
    this.#next = next;
  }

  /**
   * Reads the stored settings. Never rejects: if nothing valid can be read, it starts empty, and `recovered` says so.
   */
  static async open(storage: StorageBinding): Promise<{ store: SettingsStore; recovered: Recovered }> {
    const found = await Promise.all(SLOTS.map((slot) => loadSections(storage, slot)));
    const valid = found
      .flatMap(({ name, generation }) => (generation === undefined ? [] : [{ name, generation }]))
      .sort((x, y) => y.generation.number - x.generation.number);
    const broken = found.filter(({ exists, generation }) => exists && generation === undefined);
    await setAside(storage, broken);

    const newest = valid[0];
    if (newest !== undefined) {
      const store = new SettingsStore(storage, newest.generation, other(newest.name));
      return { store, recovered: broken.length === 0 ? 'current' : 'previous' };
    }
    // If an earlier start was interrupted after it had moved the invalid file, only the moved file is left.
    const erased = broken.length > 0 || (await exists(storage, SET_ASIDE));
    const store = new SettingsStore(storage, { number: 0, sections: erased ? { [ERASED]: true } : {} }, SLOTS[0]);
    return { store, recovered: erased ? 'erased' : 'fresh' };
  }

  read<Section extends keyof StoredSettings>(section: Section): StoredSettings[Section] | undefined;
  read(section: string): unknown;
  read(section: string): unknown {
    const { sections } = this.#current;
    return Object.hasOwn(sections, section) ? sections[section] : undefined;
  }

  update(mutate: (draft: Sections) => void): Promise<void> {
    return this.#inTurn(() => this.#apply(mutate));
  }

  async #apply(mutate: (draft: Sections) => void): Promise<void> {
    const draft = structuredClone(this.#current.sections);
    mutate(draft);
    const next = { number: this.#current.number + 1, sections: JSON.parse(JSON.stringify(draft)) as Sections };
    if (isDeepStrictEqual(next.sections, this.#current.sections)) return;
    const bytes = encode({ number: next.number, fields: { sections: next.sections } });
    if (bytes.length > DOCUMENT_LIMIT_BYTES) {
      throw new ApiError('persist_failed', `the settings would take ${bytes.length} bytes of ${DOCUMENT_LIMIT_BYTES}`);
    }
    try {
      await this.#storage.write(this.#next, bytes);
    } catch (error) {
      throw new ApiError('persist_failed', cause(error));
    }
    this.#current = next;
    this.#next = other(this.#next);
  }
}

const other = (slot: Slot): Slot => (slot === SLOTS[0] ? SLOTS[1] : SLOTS[0]);

/** Reads one file. A document of another shape is invalid too. */
async function loadSections(storage: StorageBinding, slot: Slot) {
  const { generation, ...found } = await load(storage, slot);
  const sections = generation?.fields['sections'];
  const sound = typeof sections === 'object' && sections !== null && !Array.isArray(sections);
  return generation !== undefined && sound
    ? { ...found, generation: { number: generation.number, sections: sections as Sections } }
    : { ...found, generation: undefined };
}

const exists = (storage: StorageBinding, name: string) =>
  storage.read(name).then(
    (bytes) => bytes !== undefined,
    () => true,
  );

/** Moves the longest invalid file to SET_ASIDE and removes the others. If that fails, they stay where they are. */
async function setAside(
  storage: StorageBinding,
  broken: readonly Pick<Found<Slot>, 'name' | 'bytes'>[],
): Promise<void> {
  const readable = broken.flatMap(({ name, bytes }) => (bytes === undefined ? [] : [{ name, bytes }]));
  const [longest] = [...readable].sort((x, y) => y.bytes.length - x.bytes.length);
  if (longest === undefined) return;
  try {
    await storage.write(SET_ASIDE, longest.bytes);
    for (const { name } of readable) await storage.remove(name);
  } catch {
    // Ignored: the next generation overwrites an invalid file.
  }
}

/** The errno name (ENOSPC, EROFS, EIO), which contains nothing of the settings; a fixed text if there is none. */
const cause = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'the storage failed';
