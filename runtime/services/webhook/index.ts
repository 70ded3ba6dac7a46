/** The webhook: its configuration key and its rules, and the events that go to the receiver. */
import { Outbound } from '../../http/outbound.ts';
import { targetsOf } from '../../http/targets.ts';
import { urlFault } from '../../http/urls.ts';
import { invalidConfig } from '../../kernel/config.ts';
import { ensureDeviceId } from '../../kernel/device-id.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { WebhookConfig, WebhookHeaders, WebhookMessage, WebhookPart } from './contract.ts';
import { Delivery, WEBHOOK_LIMITS, type Webhook } from './delivery.ts';

/** The request under way gets this long when the node ends. */
const FINISH_MS = 200;

export default definePlugin({
  name: 'webhook',
  api: 2,
  requires: ['settings'],
  status: WebhookPart,
  webhooks: [
    { name: 'event', summary: 'an event of a subscribed type', headers: WebhookHeaders, body: WebhookMessage },
  ],
  limits: WEBHOOK_LIMITS,
  config: [
    {
      key: 'webhook',
      schema: WebhookConfig,
      default: { url: '', secret: '', events: ['scan_read', 'printer_status'] } satisfies Webhook,
      secrets: ['secret'],
      /** A secret goes to the receiver it was given for, and to no other. */
      settle(value, { previous, patch }) {
        const next = value as Webhook;
        const moved = next.url !== (previous['webhook'] as Webhook).url;
        return moved && !Object.hasOwn(patch['webhook'] as object, 'secret') ? { ...next, secret: '' } : next;
      },
      check(next) {
        const fault = urlFault((next['webhook'] as Webhook).url);
        if (fault !== undefined) throw invalidConfig(`webhook/url ${fault}`);
      },
    },
  ],
  room(node) {
    const { hooks, config, settings, startedAt, log } = node;
    let deviceId = '';
    const delivery = new Delivery({
      webhook: () => config.get<Webhook>('webhook'),
      node: () => deviceId,
      uptimeMs: () => performance.now() - startedAt,
      outbound: new Outbound({ refuses: targetsOf(node) }),
      log,
    });
    hooks.start.tapPromise('webhook', async () => {
      deviceId = await ensureDeviceId(settings);
    });
    hooks.event.tap('webhook', (event) => delivery.offer(event));
    hooks.status.tap('webhook', (draft) => {
      draft['webhook'] = delivery.status();
    });
    hooks.stop.tapPromise('webhook', () => delivery.stop(FINISH_MS));
  },
});
