/** The configuration: declared keys, one transaction per patch, write-only credentials (specification 2.6 and 5). */

import type { TSchema } from '@sinclair/typebox';
import { isRecord } from '../base/record.ts';
import { createTurns } from '../base/turns.ts';
import { ApiError } from './errors.ts';
import type { ConfigChange, Hooks } from './hooks.ts';
import type { Logger } from './log.ts';
import type { ConfigKeys, StoredSettings } from './registry.ts';
import type { Settings } from './settings.ts';
import type { Contract } from './validator.ts';

/** One key of PUT /config, as a plugin declares it. */
export interface ConfigDeclaration {
  readonly key: string;
  /** Shape of the value; objects refuse unknown keys. A nested object is patched key by key. */
  readonly schema: TSchema;
  readonly default: unknown;
  /** The default in an image of which that is not true. */
  defaultIn?(image: ConfigParts['image']): unknown;
  /** Names inside the value (or the key itself) that are write-only: a read gives the boolean `<name>Set` instead. */
  readonly secrets?: readonly string[];
  /** Returns the value to store for a patched value. Runs after the merge with the previous value, before any check. */
  settle?(value: unknown, context: ConfigContext): unknown;
  /** Checks rules that a schema cannot express; throws an ApiError. Gets the whole configuration as it would become. */
  check?(next: Readonly<ConfigKeys>, context: ConfigContext): void;
}

/** What a patch changes: the configuration before it, and the patch. */
export interface ConfigContext {
  readonly previous: Readonly<ConfigKeys>;
  /**
   * The patch as received, for rules about presence: a field that is present applies, also with a false or empty value.
   */
  readonly patch: Readonly<Record<string, unknown>>;
}

/** What the configuration is made with. */
interface ConfigParts {
  readonly settings: Settings;
  readonly contract: Contract;
  readonly hooks: Hooks;
  readonly log: Logger;
  readonly image: { readonly variant: string };
}

type Values = Readonly<Record<string, unknown>>;
/** The configuration after validation: what declarations and hooks get. */
type Checked = Readonly<ConfigKeys>;
/** Sections of the settings that a transaction is about to store. */
type Draft = Partial<StoredSettings>;

/**
 * `$id` of the shapes built from the keys of an image: body of PUT /config, response of GET /config, response of PUT.
 */
export const CONFIG_PATCH = 'ConfigPatch';
export const CONFIG_VIEW = 'Config';
export const CONFIG_STORED = 'ConfigStored';

/** Nested objects are patched key by key; everything else is replaced. */
const merge = (previous: unknown, patch: unknown): unknown =>
  isRecord(previous) && isRecord(patch) ? { ...previous, ...patch } : patch;

/**
 * The values of all declared keys. Loads them from the settings section `config`; a stored value that its schema
 * refuses is logged and replaced by the default.
 */
export class KernelConfig {
  readonly #declarations: ReadonlyMap<string, ConfigDeclaration>;
  readonly #settings: Settings;
  readonly #hooks: Hooks;
  #values: Values;
  /** Patches run one after the other, from validation to storage. */
  readonly #inTurn = createTurns();

  constructor(
    declarations: ReadonlyMap<string, ConfigDeclaration>,
    { settings, contract, hooks, log, image }: ConfigParts,
  ) {
    this.#declarations = declarations;
    this.#settings = settings;
    this.#hooks = hooks;
    const stored = settings.read('config');
    const schema = { $id: CONFIG_PATCH } as TSchema;
    const values: Record<string, unknown> = {};
    for (const { key, default: usual, defaultIn } of declarations.values()) {
      const fallback = defaultIn === undefined ? usual : defaultIn(image);
      values[key] = fallback;
      if (!isRecord(stored) || !Object.hasOwn(stored, key)) continue;
      const fault = contract.fault(schema, { [key]: stored[key] });
      if (fault === undefined) values[key] = merge(fallback, stored[key]);
      else log.warn({ key, path: fault.path, fault: fault.message }, 'stored configuration ignored, default used');
    }
    this.#values = Object.freeze(values);
  }

  /** The current value of a key, credentials included: for rooms; never put it into a response. */
  get<Key extends keyof ConfigKeys>(key: Key): ConfigKeys[Key] {
    return this.#values[key] as ConfigKeys[Key];
  }

  /** All values for GET /config: each credential is replaced by the boolean `<name>Set`. */
  view(): Record<string, unknown> {
    const view: Record<string, unknown> = {};
    for (const { key, secrets = [] } of this.#declarations.values()) {
      const value = this.#values[key];
      if (secrets.includes(key)) view[`${key}Set`] = isSet(value);
      else view[key] = isRecord(value) && secrets.length > 0 ? withoutSecrets(value, secrets) : value;
    }
    return view;
  }

  /**
   * Applies a patch that has passed the schema. Rejects with the ApiError of `authorize`, a rule or a room, or
   * `persist_failed`: then nothing is stored, and each room that had applied its key gets the previous value again; if
   * a room fails at that, its error is the one reported. `authorize` runs first, inside the transaction, and throws to
   * refuse: outside it, two clients that set the first API key at the same time would both pass. `along` changes other
   * settings in the same transaction.
   */
  patch(patch: Values, authorize?: (previous: Values) => void, along?: (draft: Draft) => void): Promise<void> {
    return this.#inTurn(() => this.#apply(patch, authorize, along));
  }

  async #apply(patch: Values, authorize?: (previous: Values) => void, along?: (draft: Draft) => void): Promise<void> {
    const previous = this.#values;
    authorize?.(previous);
    const keys = Object.keys(patch);
    const next: Record<string, unknown> = { ...previous };
    for (const key of keys) {
      const merged = merge(previous[key], patch[key]);
      const settle = this.#declarations.get(key)?.settle;
      next[key] = settle === undefined ? merged : settle(merged, { previous: previous as Checked, patch });
    }
    for (const { check } of this.#declarations.values())
      check?.(next as Checked, { previous: previous as Checked, patch });

    const done: string[] = [];
    try {
      for (const key of keys) {
        await this.#configure(key, next, previous);
        done.push(key);
      }
      await this.#settings.update((draft) => {
        draft.config = { ...(isRecord(draft.config) ? draft.config : {}), ...pick(next, keys) };
        along?.(draft);
      });
    } catch (error) {
      throw await this.#rollBack(done.reverse(), previous, next, error);
    }
    this.#values = Object.freeze(next);
    for (const key of keys) this.#hooks.configured.call(changeOf(key, next, previous));
  }

  async #configure(key: string, next: Values, previous: Values): Promise<void> {
    await this.#hooks.configure.get(key)?.promise(changeOf(key, next, previous));
  }

  /** Restores the old value of each key. Returns the error of a failed restore, else `cause`. */
  async #rollBack(keys: readonly string[], previous: Values, next: Values, cause: unknown): Promise<unknown> {
    let outcome = cause;
    for (const key of keys) {
      try {
        await this.#configure(key, previous, next);
      } catch (error) {
        outcome = error;
      }
    }
    return outcome;
  }
}

const changeOf = (key: string, next: Values, previous: Values) =>
  ({ key, value: next[key], previous: previous[key], next }) as ConfigChange;

const isSet = (value: unknown): boolean => typeof value === 'string' && value !== '';

function withoutSecrets(value: Record<string, unknown>, secrets: readonly string[]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) if (!secrets.includes(name)) shown[name] = part;
  for (const name of secrets) shown[`${name}Set`] = isSet(value[name]);
  return shown;
}

const pick = (values: Values, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, values[key]]));

/** The error for a configuration that breaks a rule (`invalid_config`, 422). */
export const invalidConfig = (detail: string) => new ApiError('invalid_config', detail);
