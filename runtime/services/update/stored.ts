/** What this room keeps in the settings: the section `update`. */
import type { UpdatePolicy } from '../../image/updates.ts';
import type { Settings } from '../../kernel/settings.ts';

export interface StoredUpdate {
  readonly enabled: boolean;
  readonly policy: UpdatePolicy;
  /** The last revert was asked for without a credential. */
  readonly openRevert: boolean;
}

/** What is stored, or the default. */
export const storedUpdate = (settings: Settings): StoredUpdate => ({
  enabled: true,
  policy: 'auto',
  openRevert: false,
  ...settings.read('update'),
});

declare module '../../kernel/registry.ts' {
  interface StoredSettings {
    update: Partial<StoredUpdate>;
  }
}
