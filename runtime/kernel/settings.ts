/** The node's one settings document, section by section. Kept by services/settings on the storage binding. */
export interface Settings {
  /** A section as it stands; callers do not change what they get. */
  read(section: string): unknown;
  /**
   * Changes sections in one transaction: durable when it resolves, nothing changed when it rejects
   * (ApiError `persist_failed`). Updates run one after the other in the order they were asked for.
   */
  update(mutate: (draft: Record<string, unknown>) => void): Promise<void>;
}
