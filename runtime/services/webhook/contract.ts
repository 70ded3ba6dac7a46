/** The webhook's configuration (specification 2.7). */
import { Type } from '@sinclair/typebox';
import { closed, utf8 } from '../../kernel/schema.ts';

export const WebhookEvent = Type.Union(
  (['scan_read', 'printer_status', 'scale_weight_changed', 'command_result', 'camera_frame_captured'] as const).map(
    (type) => Type.Literal(type),
  ),
);

export const WebhookConfig = closed({
  url: Type.Optional(utf8(199, { description: 'http or https, "" for none' })),
  secret: Type.Optional(utf8(63, { description: 'key of the signature, "" for none; write only' })),
  events: Type.Optional(Type.Array(WebhookEvent, { maxItems: 5, uniqueItems: true })),
});
