/** Types that are composed from the declarations of all rooms. The types of one room are in its `client.ts`. */
import type { ConfigKeys, ConfigSecrets, StatusBlocks, WebhookEvents } from '../kernel/registry.ts';

/** The response of a route that returns nothing else. */
export type Done = { readonly ok: true };

type All<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;
/** GET /status: the fields of every node, and the blocks of the rooms of the image. */
export type Status = All<StatusBlocks[keyof StatusBlocks]>;

type Patch<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Partial<Value> : Value;
/** Changes to the configuration; nested objects are patched key by key. Keys of other plugins are accepted, too. */
export type ConfigPatch = { [Key in keyof ConfigKeys]?: Patch<ConfigKeys[Key]> } & { [key: string]: unknown };

type SecretOf<Key> = Key extends keyof ConfigSecrets ? ConfigSecrets[Key] : never;
type Shown<Value, Secret extends string> = [Secret] extends [never]
  ? Value
  : Omit<Value, Secret> & { [Name in Secret as `${Name}Set`]: boolean };
/** The whole configuration. A secret is shown as a boolean, set or not. It may contain keys of other plugins. */
export type Config = {
  [Key in keyof ConfigKeys as Key extends SecretOf<Key> ? `${Key}Set` : Key]: Key extends SecretOf<Key>
    ? boolean
    : Shown<ConfigKeys[Key], SecretOf<Key>>;
} & { [key: string]: unknown };

/** Types of the events that a webhook can carry. */
export type WebhookEvent = keyof WebhookEvents;
/** The body of a webhook. `seq` and `uptimeMs` (when the event happened) are unsigned 32-bit numbers. */
export type WebhookMessage = {
  node: string;
  seq: number;
  uptimeMs: number;
  event: WebhookEvents[WebhookEvent];
};
