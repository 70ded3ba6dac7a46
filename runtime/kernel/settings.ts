import { ApiError } from './errors.ts';
import type { StoredSettings } from './registry.ts';

/** The stored settings of the node: one document, in sections. */
export interface Settings {
  /** The current value of a section, undefined if there is none. Must not be changed by the caller. */
  read<Section extends keyof StoredSettings>(section: Section): StoredSettings[Section] | undefined;
  /**
   * Changes sections in one transaction. When it resolves, the change is durable; when it rejects (ApiError
   * `persist_failed`), nothing has changed. Updates run one after the other, in the order of the calls.
   */
  update(mutate: (draft: Partial<StoredSettings>) => void): Promise<void>;
}

declare module './registry.ts' {
  interface StoredSettings {
    erased: true;
    identity: {
      readonly deviceId: string;
      /** The one from the next boot on. */
      readonly next?: string;
    };
    /** What people call this node. */
    name: string;
    /** The keys that were patched, credentials included. */
    config: Readonly<Record<string, unknown>>;
  }
}

/**
 * Section that is set to true when the stored document was found unusable at a start, until a person confirms at the
 * box.
 */
export const ERASED = 'erased';

/** Throws `custody_hold` while `ERASED` is set: a person must hold the button of the box first (specification 3.5). */
export function checkCustody(settings: Settings): void {
  if (settings.read(ERASED)) throw new ApiError('custody_hold', 'hold the button on the box for 5 seconds');
}
