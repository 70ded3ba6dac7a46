/** Keeps a node with a wrong static address reachable: it gets a second address by DHCP. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RadioBinding } from '../../bindings/bindings.ts';
import type { Timings } from './timings.ts';

/**
 * Sends ARP requests to the gateway until it responds once; after `silenceMs` without a response, requests a second
 * address by DHCP. The stored settings stay. Does nothing without a gateway. Rejects with a RadioError if DHCP cannot
 * be enabled.
 */
export async function attendGateway(
  radio: RadioBinding,
  gateway: string | undefined,
  { silenceMs, askMs }: Timings,
  signal: AbortSignal,
): Promise<void> {
  if (gateway === undefined) return;
  const deadline = performance.now() + silenceMs;
  while (performance.now() < deadline) {
    if (await radio.answers(gateway).catch(() => false)) return;
    await delay(askMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
  await radio.alsoDhcp();
}
