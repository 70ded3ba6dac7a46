/** The settings document on durable storage, in two generations; at start the newest that verifies wins. */
import { isDeepStrictEqual } from 'node:util';
import type { StorageBinding } from '../bindings/bindings.ts';
import { encode, type Found, load } from '../bindings/generations.ts';
import { ApiError } from '../kernel/errors.ts';
import type { StoredSettings } from '../kernel/registry.ts';
import { ERASED, type Settings } from '../kernel/settings.ts';
import { createTurns } from '../kernel/turns.ts';

/**
 * What was found at start: nothing ever stored; all that was stored; one of two files unusable, so perhaps one change
 * behind; nothing usable although there was something.
 */
export type Recovered = 'fresh' | 'current' | 'previous' | 'erased';

const SLOTS = ['settings.a', 'settings.b'] as const;
type Slot = (typeof SLOTS)[number];
/** The last file that did not verify, for whoever wants to know why. */
const SET_ASIDE = 'settings.bad';
const DOCUMENT_LIMIT_BYTES = 256 * 1024;

type Sections = Record<string, unknown>;
interface Generation {
  readonly number: number;
  readonly sections: Sections;
}

export class SettingsStore implements Settings {
  readonly #storage: StorageBinding;
  #current: Generation;
  /** Where the next generation goes: never over the current one. */
  #next: Slot;
  /** One writer. */
  readonly #inTurn = createTurns();

  private constructor(storage: StorageBinding, current: Generation, next: Slot) {
    this.#storage = storage;
    this.#current = current;
    this.#next = next;
  }

  /** Never rejects: storage that cannot be read is a store that starts empty and says so. */
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
    // A start cut short after the file was set aside has only that file to tell.
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

/** What was found; a document of another shape is as unusable as one that does not verify. */
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

/** Keeps the longest of the files that did not verify. What cannot be read, or not set aside, stays where it is. */
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
    // Nothing depends on it: the next generation goes over the unusable file.
  }
}

/** The errno name where there is one: it says what to do (ENOSPC, EROFS, EIO) and holds nothing of the content. */
const cause = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'the storage failed';
