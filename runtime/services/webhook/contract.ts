/** Shapes of this room: its configuration, its block of GET /status, and what a receiver gets (specification 2.7, 2.1, 6.2). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8, WEBHOOK_EVENT } from '../../kernel/schema.ts';

/**
 * Type of an event. Which ones there are to choose from, the rooms of an image say (`webhook: true`); the shape takes any,
 * so that a stored selection outlives an image without one of those rooms.
 */
export const WebhookEvent = Type.String({ $id: WEBHOOK_EVENT, pattern: '^[a-z][a-z0-9_]*$', maxLength: 64 });

export const WebhookConfig = closed({
  url: Type.Optional(utf8(199, { description: 'http or https, "" for none' })),
  secret: Type.Optional(utf8(63, { description: 'key of the signature, "" for none; write only' })),
  events: Type.Optional(Type.Array(WebhookEvent, { maxItems: 64, uniqueItems: true })),
});

export const WebhookStatus = open(
  {
    delivered: Type.Integer(),
    /** Pushed out of a full queue, too large, refused by the receiver, or tried twice. */
    dropped: Type.Integer(),
    /** Waiting, without the one in flight. */
    queued: Type.Integer(),
    /** Of the newest event, unsigned 32-bit; 0 before the first. */
    seq: Type.Integer(),
    /** Of the last attempt that ended; -1 where it ended without an HTTP status. */
    lastStatus: Type.Integer(),
    /** Since that attempt ended; -1 before the first. */
    lastAttemptAgoMs: Type.Integer(),
  },
  { $id: 'WebhookStatus' },
);
export type WebhookStatus = Static<typeof WebhookStatus>;

/** What this room adds to GET /status. */
export const WebhookPart = open({ webhook: WebhookStatus });

/** Fields that come with a webhook. The first two are hints: they are not signed. */
export const WebhookHeaders = open({
  'X-NODE-Node': Type.String({ description: 'device id' }),
  'X-NODE-Seq': Type.String({ description: 'the number of the body' }),
  'X-NODE-Signature': Type.String({
    pattern: '^sha256=([0-9a-f]{64})?$',
    description: 'HMAC-SHA256 of the body under the configured secret; nothing behind the = where there is none',
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
