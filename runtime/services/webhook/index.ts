/** The room `webhook`: its configuration key and rules, and the delivery of events. */
import { X509Certificate } from 'node:crypto';
import { Delivery, WEBHOOK_LIMITS, type Webhook } from '../../http/delivery.ts';
import { Outbound } from '../../http/outbound.ts';
import { targetsOf } from '../../http/targets.ts';
import { urlFault } from '../../http/urls.ts';
import { invalidConfig } from '../../kernel/config.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import type { WebhookEvents } from '../../kernel/registry.ts';
import {
  WebhookCa,
  WebhookConfig,
  WebhookHeaders,
  WebhookMessage,
  WebhookPart,
  type WebhookStatus,
} from './contract.ts';

/** Time for the request in progress when the node stops. */
const FINISH_MS = 200;

/** Events that can be selected on every node (specification 2.7), also if the image does not have their room. */
const SPECIFIED = ['scan_read', 'printer_status', 'scale_weight_changed', 'command_result', 'camera_frame_captured'];

function isAuthority(pem: string): boolean {
  try {
    return pem === '' || new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

export default definePlugin({
  name: 'webhook',
  api: 2,
  requires: ['settings'],
  status: WebhookPart,
  webhooks: [
    {
      name: 'event',
      summary: 'an event of a subscribed type',
      headers: WebhookHeaders,
      body: WebhookMessage,
      events: SPECIFIED,
    },
  ],
  limits: WEBHOOK_LIMITS,
  config: [
    {
      key: 'webhook',
      schema: WebhookConfig,
      default: { url: '', secret: '', events: ['scan_read', 'printer_status'] } satisfies Webhook,
      secrets: ['secret'],
      /** Clears the secret if the URL changes and no new one is set: it must be used only with its receiver. */
      settle(value, { previous, patch }) {
        const next = value as Webhook;
        const moved = next.url !== previous.webhook.url;
        return moved && !Object.hasOwn(patch['webhook'] as object, 'secret') ? { ...next, secret: '' } : next;
      },
      check(next) {
        const fault = urlFault(next.webhook.url);
        if (fault !== undefined) throw invalidConfig(`webhook/url ${fault}`);
      },
    },
    {
      key: 'webhookCa',
      schema: WebhookCa,
      default: '',
      secrets: ['webhookCa'],
      check(next) {
        if (!isAuthority(next.webhookCa)) throw invalidConfig('webhookCa is no certificate of an authority in PEM');
      },
    },
  ],
  room(node) {
    const { deviceId, hooks, config, startedAt, log } = node;
    const delivery = new Delivery({
      webhook: () => config.get('webhook'),
      ca: () => config.get('webhookCa'),
      node: deviceId,
      uptimeMs: () => performance.now() - startedAt,
      outbound: new Outbound({ refuses: targetsOf(node) }),
      log,
    });
    hooks.configure.for('webhook').tap('webhook', ({ value, previous }) => {
      const chosen = previous.events;
      const { webhookEvents } = node;
      const unknown = (type: keyof WebhookEvents) => !chosen.includes(type) && !webhookEvents.includes(type);
      const at = value.events.findIndex(unknown);
      if (at >= 0) throw invalidConfig(`webhook/events/${at} must be one of ${webhookEvents.join(', ')}`);
    });
    hooks.event.tap('webhook', (event) => delivery.offer(event));
    hooks.status.tap('webhook', (draft) => {
      draft['webhook'] = delivery.status() satisfies WebhookStatus;
    });
    hooks.stop.tapPromise('webhook', () => delivery.stop(FINISH_MS));
  },
});
