/**
 * Open interfaces: empty here, filled by the plugins (`declare module '…/registry.ts'`, or `'tillnode/plugin'` from
 * outside), so that what one of them declares is typed wherever it is read.
 */

/** What `bind` returns for a device, by its kind. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface BoundKinds {}

/** What a plugin offers to others, by its name. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Offers {}
