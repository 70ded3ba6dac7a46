/**
 * The open interfaces: what is read by a key, and the type behind each key. They are empty here. A room fills them in its
 * `contract.ts` or `client.ts` (`declare module '…/kernel/registry.ts'`, from outside `'tillnode/registry'`: TypeScript
 * merges into the module that declares an interface, and into no other that exports it), so that a key is typed where it
 * is read and nobody keeps a list of rooms.
 */

type FilledByRooms = Record<never, never>;

/** Events that a webhook may carry, by their type: `{ scan_read: ScanRead }`. Their declarations say `webhook: true`. */
export interface WebhookEvents extends FilledByRooms {}

/** Events that go to GET /events alone, by their type. */
export interface NodeEvents extends FilledByRooms {}

/** Any event of the node, told apart by `type`. */
export type NodeEvent = NodeEvents[keyof NodeEvents] | WebhookEvents[keyof WebhookEvents];

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
