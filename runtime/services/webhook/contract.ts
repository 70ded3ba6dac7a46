/** Schemas of this room: its configuration and its part of GET /status (specification 2.7, 2.1). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8 } from '../../base/schema.ts';
import { WebhookEvent, WebhookFailure } from '../../http/contract.ts';

// The webhook itself is described with this room: the build makes data only of what a room's contract.ts exports.
export { WebhookEvent, WebhookHeaders, WebhookMessage } from '../../http/contract.ts';

/** The configuration key `webhook`. */
export const WebhookConfig = closed({
  url: Type.Optional(utf8(199, { description: 'http or https, "" for none' })),
  secret: Type.Optional(utf8(63, { description: 'key of the signature, "" for none; write-only' })),
  events: Type.Optional(Type.Array(WebhookEvent, { maxItems: 64, uniqueItems: true })),
});

/** The configuration key `webhookCa`. */
export const WebhookCa = utf8(8000, {
  description: "the shop's own certificate authority in PEM, trusted by its webhook beside the usual ones; write-only",
});

/** The block `webhook` of GET /status. */
export const WebhookStatus = open(
  {
    delivered: Type.Integer(),
    /** The queue was full, the event too large, refused by the receiver, or it failed twice. */
    dropped: Type.Integer(),
    /** Waiting events, without the one in flight. */
    queued: Type.Integer(),
    /** Number of the newest event, unsigned 32-bit; 0 before the first. */
    seq: Type.Integer(),
    /** HTTP status of the last attempt that ended; -1 if it had none. */
    lastStatus: Type.Integer(),
    /** Why that attempt did not deliver; absent where it did, and before the first. */
    lastError: Type.Optional(WebhookFailure),
    /** Time since that attempt ended; -1 before the first. */
    lastAttemptAgoMs: Type.Integer(),
  },
  { $id: 'WebhookStatus' },
);
export type WebhookStatus = Static<typeof WebhookStatus>;

/** This room's part of the status. */
export const WebhookPart = open({ webhook: WebhookStatus });

declare module '../../kernel/registry.ts' {
  interface ConfigKeys {
    webhook: Required<Omit<Static<typeof WebhookConfig>, 'events'>> & { events: (keyof WebhookEvents)[] };
    webhookCa: string;
  }
  interface ConfigSecrets {
    webhook: 'secret';
    webhookCa: 'webhookCa';
  }
  interface StatusBlocks {
    webhook: Static<typeof WebhookPart>;
  }
}
