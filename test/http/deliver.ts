/** A delivery of webhooks without a node around it. */
import { onTestFinished } from 'vitest';
import { Delivery, type DeliveryParts, type Webhook } from '../../runtime/http/delivery.ts';
import { Outbound } from '../../runtime/http/outbound.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { until } from '../node.ts';

/** The id of the node that delivers. */
export const NODE = '0badcafe';
/** A deadline that is waited for. */
export const SHORT_MS = 60;
export const scan = (value: string) => ({ type: 'scan_read', endpoint: 'scanner', value, seq: 7 });

/** A delivery to this receiver; `config` is the configuration that a test changes. */
export function deliver(url: string, parts: Partial<DeliveryParts> = {}) {
  const config: { webhook: Webhook; ca: string } = {
    webhook: { url, secret: 'sesame', events: ['scan_read'] },
    ca: '',
  };
  const delivery = new Delivery({
    webhook: () => config.webhook,
    ca: () => config.ca,
    node: NODE,
    uptimeMs: () => 1234.9,
    outbound: new Outbound({ refuses: () => false }),
    log: silentLogger,
    deadlineMs: 10_000,
    ...parts,
  });
  onTestFinished(() => delivery.stop(0));
  const settled = () =>
    until(() => {
      const { delivered, dropped, seq } = delivery.status();
      return delivered + dropped === seq;
    });
  return { delivery, config, settled };
}
