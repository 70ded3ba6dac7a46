/** The native radio binding on NetworkManager: the shared suite, and what a virtual radio has none of. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRadio } from '../../../runtime/bindings/native/radio.ts';
import { type RadioBench, radioConformance } from '../../bindings/radio-conformance.ts';
import type { It } from './suite.ts';
import { phoneJoins, SHOP, SHOP_GATEWAY, startWireless } from './wireless.ts';

/** An emulated machine takes many times as long as a real one. */
const PATIENT = { askMs: 90_000, activateSeconds: 120, dhcpSeconds: 30 };
const CASE_MS = 240_000;
const SETUP = { ssid: 'tillnode-0042', password: 'k7fq-2mzt-9xwd' };

async function createBench(): Promise<RadioBench> {
  await startWireless();
  const radio = createRadio(PATIENT);
  return {
    radio,
    shop: SHOP,
    gateway: SHOP_GATEWAY,
    async phoneJoins(credentials) {
      const phone = await phoneJoins(credentials);
      await phone?.leave();
      return phone !== undefined;
    },
    dispose: () => radio.leave(),
  };
}

export function radioSuite(it: It): void {
  it('says what the kernel knows where there is no network manager yet', async () => {
    const radio = createRadio(PATIENT);
    assert.equal((await radio.read()).mode, 'offline');
    await assert.rejects(radio.join(SHOP), { fault: 'unmanaged' });
  });

  radioConformance((promise, check) => it(promise, check, CASE_MS), createBench);

  it(
    'gives a phone on its own network an address, and leads every name to itself',
    async () => {
      await startWireless();
      const radio = createRadio(PATIENT);
      await radio.openSetup(SETUP);
      const phone = await phoneJoins(SETUP);
      assert.ok(phone);
      assert.match(phone.address, /^10\.42\.0\.\d+$/);
      assert.match(phone.lookUp('connectivitycheck.gstatic.com'), /Name:\s+\S+\s+Address: 10\.42\.0\.1\s/);
      await phone.leave();
      await radio.leave();
    },
    CASE_MS,
  );

  it('has left nothing in the machine that lasts', async () => {
    assert.deepEqual(readdirSync('/etc/NetworkManager/system-connections'), []);
  });
}
