/** What the status says of the last webhook that was not delivered. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveryParts } from '../../runtime/http/delivery.ts';
import { Outbound } from '../../runtime/http/outbound.ts';
import { nowhere } from '../client/server.ts';
import { needTools } from '../tools.ts';
import { createAuthority } from './certificates.ts';
import { deliver, SHORT_MS, scan } from './deliver.ts';
import { answer, hang, startReceiver } from './receiver.ts';

describe('the last error', () => {
  const errorOf = async (url: string, parts: Partial<DeliveryParts> = {}) => {
    const { delivery, settled } = deliver(url, parts);
    delivery.offer(scan('1'));
    await settled();
    return delivery.status().lastError;
  };
  const at = (address: string) => ({ resolve: async () => [{ address, family: 4 }] });

  it('is absent where it was delivered, and before the first', async () => {
    const receiver = await startReceiver();
    const { delivery, settled } = deliver(receiver.url);
    expect(delivery.status()).not.toHaveProperty('lastError');
    delivery.offer(scan('1'));
    await settled();
    expect(delivery.status()).not.toHaveProperty('lastError');
  });

  it('says what to look at: the name, the address, the receiver, its answer, or the time', async () => {
    const nobody = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const unknown = new Outbound({ refuses: () => false, resolve: () => Promise.reject(nobody) });
    expect(await errorOf('http://hook.test/', { outbound: unknown })).toBe('dns');
    const own = new Outbound({ refuses: () => true, ...at('127.0.0.1') });
    expect(await errorOf('http://hook.test/', { outbound: own })).toBe('address');
    const receiver = await startReceiver(answer(500));
    expect(await errorOf(receiver.url)).toBe('status');
    const silent = await startReceiver(hang);
    expect(await errorOf(silent.url, { deadlineMs: SHORT_MS })).toBe('timeout');
    expect(await errorOf(await nowhere())).toBe('refused');
  });

  const missing = needTools(['openssl']);
  it.skipIf(missing !== undefined)('is tls until the shop names its own authority', async () => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    const receiver = await startReceiver(answer(200), { tls: authority.sign('DNS:hook.test') });
    const outbound = new Outbound({ refuses: () => false, ...at('127.0.0.1') });
    const { delivery, settled, config } = deliver(`https://hook.test:${receiver.port}/`, { outbound });
    delivery.offer(scan('1'));
    await settled();
    expect([delivery.status().lastError, receiver.received.length]).toEqual(['tls', 0]);
    config.ca = authority.cert;
    delivery.offer(scan('2'));
    await settled();
    expect(delivery.status()).toMatchObject({ delivered: 1, lastStatus: 200 });
    expect(delivery.status()).not.toHaveProperty('lastError');
  });
});
