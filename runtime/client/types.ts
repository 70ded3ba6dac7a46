/** What goes over the wire and is made of what all rooms declare. The shapes of one room stand in its `client.ts`. */
import type { ConfigKeys, ConfigSecrets, StatusBlocks, WebhookEvents } from '../kernel/registry.ts';

/** The answer of a route that has nothing else to say. */
export type Done = { readonly ok: true };

type All<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;
/** GET /status: what every node tells, and the blocks of the rooms that the image has. */
export type Status = All<StatusBlocks[keyof StatusBlocks]>;

type Patch<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Partial<Value> : Value;
/** What of the configuration is to be changed; nested objects key by key. Keys of other plugins are taken, too. */
export type ConfigPatch = { [Key in keyof ConfigKeys]?: Patch<ConfigKeys[Key]> } & { [key: string]: unknown };

type SecretOf<Key> = Key extends keyof ConfigSecrets ? ConfigSecrets[Key] : never;
type Shown<Value, Secret extends string> = [Secret] extends [never]
  ? Value
  : Omit<Value, Secret> & { [Name in Secret as `${Name}Set`]: boolean };
/** The whole configuration. Credentials are shown as set or not. Keys of other plugins come, too. */
export type Config = {
  [Key in keyof ConfigKeys as Key extends SecretOf<Key> ? `${Key}Set` : Key]: Key extends SecretOf<Key>
    ? boolean
    : Shown<ConfigKeys[Key], SecretOf<Key>>;
} & { [key: string]: unknown };

/** Types of the events that go to a webhook. */
export type WebhookEvent = keyof WebhookEvents;
/** The body of a webhook. `seq` and `uptimeMs` (when the event happened) are unsigned 32-bit numbers. */
export type WebhookMessage = {
  node: string;
  seq: number;
  uptimeMs: number;
  event: WebhookEvents[WebhookEvent];
};
