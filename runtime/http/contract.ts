/**
 * Schemas of what rooms send to a server and get from it, which the fleet has, too: webhooks (specification 6.2;
 * `delivery.ts` sends them) and the request of POST /compose to the cloud.
 */
import { type Static, Type } from '@sinclair/typebox';
import { open, WEBHOOK_EVENT } from '../base/schema.ts';

/**
 * Type of an event. The rooms of an image declare which can be selected (`webhook: true`); the schema accepts any, so
 * that a stored selection stays valid in an image without one of those rooms.
 */
export const WebhookEvent = Type.String({ $id: WEBHOOK_EVENT, pattern: '^[a-z][a-z0-9_]*$', maxLength: 64 });

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

/** What the node posts to `url/compose`. */
export const ComposeRequest = open(
  { id: Type.String(), prompt: Type.String(), columns: Type.Integer({ description: 'print width, Font A' }) },
  { $id: 'ComposeRequest' },
);
export type ComposeRequest = Static<typeof ComposeRequest>;

/** The response of `url/compose`. Each line is then checked as a line of POST /print. */
export const ComposeAnswer = open({ lines: Type.Array(Type.Unknown()) }, { $id: 'ComposeAnswer' });
export type ComposeAnswer = Static<typeof ComposeAnswer>;

/** What to look at where a webhook was not delivered. `address`: nothing is sent there; `status`: it was answered, with no 2xx. */
export const WebhookFailure = Type.Union([
  Type.Literal('dns'),
  Type.Literal('tls'),
  Type.Literal('refused'),
  Type.Literal('timeout'),
  Type.Literal('status'),
  Type.Literal('address'),
  Type.Literal('connection'),
]);
export type WebhookFailure = Static<typeof WebhookFailure>;
