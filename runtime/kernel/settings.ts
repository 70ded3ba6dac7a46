import { ApiError } from './errors.ts';

/** The node's one settings document, section by section. */
export interface Settings {
  /** A section as it stands; callers do not change what they get. */
  read(section: string): unknown;
  /**
   * Changes sections in one transaction: durable when it resolves, nothing changed when it rejects
   * (ApiError `persist_failed`). Updates run one after the other in the order they were asked for.
   */
  update(mutate: (draft: Record<string, unknown>) => void): Promise<void>;
}

/** Section that is true from the start that found the stored document unusable until somebody removes it. */
export const ERASED = 'erased';

/** Throws `custody_hold` until somebody with the box in their hands has attested it (specification 3.5). */
export function checkCustody(settings: Settings): void {
  if (settings.read(ERASED) === true) throw new ApiError('custody_hold', 'hold the button on the box for 5 seconds');
}
