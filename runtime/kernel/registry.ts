/**
 * The open interfaces: what is read by a key, and the type behind each key. Nothing stands in them here: a room fills them
 * in its `contract.ts` or `client.ts` (`declare module '…/kernel/registry.ts'`, a room from outside `'tillnode/plugin'`),
 * so that a key is typed where it is read and nobody keeps a list of rooms.
 */

type FilledByRooms = Record<never, never>;

/** Events that a webhook may carry, by their type: `{ scan_read: ScanRead }`. Their declarations say `webhook: true`. */
export interface WebhookEvents extends FilledByRooms {}

/** Every event of the node, by its type: those above and the ones that go to GET /events alone. */
export interface NodeEvents extends WebhookEvents {}

/** Keys of the configuration, with the value as the rooms get it: every field of an object is there. */
export interface ConfigKeys extends FilledByRooms {}

/** Keys of the configuration that hold credentials: the name of the field, or the key itself. A read gives `<name>Set`. */
export interface ConfigSecrets extends FilledByRooms {}

/** By room: what it writes into GET /status. */
export interface StatusBlocks extends FilledByRooms {}

/** What a program calls on `NodeClient`, of each room that has a `client.ts`. */
export interface Calls extends FilledByRooms {}

/** What `bind` returns for a device, by its kind. */
export interface BoundKinds extends FilledByRooms {}

/** What a plugin offers to others, by its name. */
export interface Offers extends FilledByRooms {}
