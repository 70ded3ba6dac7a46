/** A static address that leads nowhere: one typed wrong must not put the node out of everybody's reach. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RadioBinding } from '../../bindings/bindings.ts';
import type { Timings } from './timings.ts';

/**
 * Asks the gateway until it answers once; after `silenceMs` without an answer the node gets a second address by DHCP.
 * What is stored stays. Without a gateway there is nobody to ask. Rejects where that address is not to be had.
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
