/**
 * Open interfaces: the keys by which things are read, and the type behind each key. They are empty here. A room adds
 * its keys in its `contract.ts` or `client.ts` by declaration merging (`declare module '…/kernel/registry.ts'`; plugins
 * outside this tree use `'tillnode/registry'`, because TypeScript merges only into the module that declares the
 * interface). So each key is typed without a central list of rooms.
 */

import type { Command } from './command.ts';

type FilledByRooms = Record<never, never>;

/** Events that a webhook may carry, by their type: `{ scan_read: ScanRead }`. Their declarations say `webhook: true`. */
export interface WebhookEvents extends FilledByRooms {}

/** Events that go to GET /events alone, by their type. */
export interface NodeEvents extends FilledByRooms {}

/** Any event of the node; the union is discriminated by `type`. */
export type NodeEvent = NodeEvents[keyof NodeEvents] | WebhookEvents[keyof WebhookEvents];

/** Keys of the configuration, with the type of the value that rooms read, defaults included. */
export interface ConfigKeys extends FilledByRooms {}

/**
 * Keys of the configuration that hold credentials: field name, or the key itself. GET /config gives `<name>Set`
 * instead.
 */
export interface ConfigSecrets extends FilledByRooms {}

/** Commands, by their type: the fields of each. Every command has those of `Command`. */
export interface Commands extends FilledByRooms {}

/** Any command of the node; the union is discriminated by `type`. Where no room declares one, as in a package alone: any at all. */
export type NodeCommand = Command & ([keyof Commands] extends [never] ? object : Commands[keyof Commands]);

/** Sections of the stored settings, by name: what the room that writes a section stores in it, as JSON. */
export interface StoredSettings extends FilledByRooms {}

/** By room: what it adds to GET /status. */
export interface StatusBlocks extends FilledByRooms {}

/** Methods of `NodeClient`, by the room whose `client.ts` defines them. */
export interface Calls extends FilledByRooms {}

/** Facts about the hardware of a variant, from its row of build.config.ts. */
export interface Hardware extends FilledByRooms {}

/** What `bind` returns for a device, by its kind. */
export interface BoundKinds extends FilledByRooms {}

/** What a plugin offers to other plugins (`node.offered`), by its name. */
export interface Offers extends FilledByRooms {}
