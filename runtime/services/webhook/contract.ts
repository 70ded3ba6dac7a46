/**
 * Schemas of this room: its configuration, its part of GET /status, and the webhook itself (specification 2.7, 2.1,
 * 6.2).
 */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8, WEBHOOK_EVENT } from '../../kernel/schema.ts';

/**
 * Type of an event. The rooms of an image declare which can be selected (`webhook: true`); the schema accepts any, so
 * that a stored selection stays valid in an image without one of those rooms.
 */
export const WebhookEvent = Type.String({ $id: WEBHOOK_EVENT, pattern: '^[a-z][a-z0-9_]*$', maxLength: 64 });

/** The configuration key `webhook`. */
export const WebhookConfig = closed({
  url: Type.Optional(utf8(199, { description: 'http or https, "" for none' })),
  secret: Type.Optional(utf8(63, { description: 'key of the signature, "" for none; write-only' })),
  events: Type.Optional(Type.Array(WebhookEvent, { maxItems: 64, uniqueItems: true })),
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
    /** Time since that attempt ended; -1 before the first. */
    lastAttemptAgoMs: Type.Integer(),
  },
  { $id: 'WebhookStatus' },
);
export type WebhookStatus = Static<typeof WebhookStatus>;

/** This room's part of the status. */
export const WebhookPart = open({ webhook: WebhookStatus });

/** Header fields of a webhook. The first two are only hints: they are not signed. */
export const WebhookHeaders = open({
  'X-NODE-Node': Type.String({ description: 'device id' }),
  'X-NODE-Seq': Type.String({ description: '`seq` of the body' }),
  'X-NODE-Signature': Type.String({
    pattern: '^sha256=([0-9a-f]{64})?$',
    description: 'HMAC-SHA256 of the body with the configured secret; nothing follows the = if there is no secret',
  }),
});

const Unsigned32 = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

/** The body of a webhook. `uptimeMs` is when the event happened. */
export const WebhookMessage = open(
  { node: Type.String(), seq: Unsigned32, uptimeMs: Unsigned32, event: open({ type: WebhookEvent }) },
  { $id: 'WebhookMessage' },
);

declare module '../../kernel/registry.ts' {
  interface ConfigKeys {
    webhook: Required<Omit<Static<typeof WebhookConfig>, 'events'>> & { events: (keyof WebhookEvents)[] };
  }
  interface ConfigSecrets {
    webhook: 'secret';
  }
  interface StatusBlocks {
    webhook: Static<typeof WebhookPart>;
  }
}
