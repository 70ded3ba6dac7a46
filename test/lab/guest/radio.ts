/** The native radio binding on NetworkManager: the shared suite, and what a virtual radio has none of. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRadio } from '../../../runtime/bindings/native/radio.ts';
import { type RadioBench, radioConformance } from '../../bindings/radio-conformance.ts';
import type { It } from './suite.ts';
import { becomesPoint, phoneJoins, SHOP, SHOP_GATEWAY, startWireless } from './wireless.ts';

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
      assert.match(phone.address, /^192\.0\.2\.\d+$/);
      assert.match(phone.lookUp('connectivitycheck.gstatic.com'), /Name:\s+\S+\s+Address: 192\.0\.2\.1\s/);
      await phone.leave();
      await radio.leave();
    },
    CASE_MS,
  );

  const hex = (name: string) => Buffer.from(name).toString('hex');
  const ciphers = ['proto=RSN', 'pairwise=CCMP', 'group=CCMP'];
  /** Another one after each of these, as a radio may know the one before for a while. */
  const joins = (what: string, name: string, ssid: string, password: string, lines: readonly string[]) =>
    it(
      `joins ${what}`,
      async () => {
        await becomesPoint(name, ...lines);
        const radio = createRadio(PATIENT);
        await radio.join({ ssid, password, band: 'auto' });
        const { mode, ssid: joined } = await radio.read();
        assert.deepEqual([mode, joined], ['station', ssid]);
        await radio.leave();
      },
      CASE_MS,
    );
  const SPACES = '  both ends  ';
  const wpa3 = ['key_mgmt=SAE', 'ieee80211w=2', `sae_password="${SPACES}"`, ...ciphers];
  joins('WPA3 alone, with spaces at the ends of its password', hex('Three'), 'Three', SPACES, wpa3);
  joins('WPA2 and WPA3, with spaces at the ends of the password', hex('Both'), 'Both', SPACES, [
    'key_mgmt=WPA-PSK SAE',
    'ieee80211w=1',
    `psk="${SPACES}"`,
    ...ciphers,
  ]);
  joins('a name that is not UTF-8', '436166e9', 'Caf\udce9', SPACES, [
    'key_mgmt=WPA-PSK',
    `psk="${SPACES}"`,
    ...ciphers,
  ]);

  it(
    'says that the password of WPA3 alone is wrong',
    async () => {
      await becomesPoint(hex('Three again'), ...wpa3);
      const radio = createRadio(PATIENT);
      const wrong = radio.join({ ssid: 'Three again', password: SPACES.trim(), band: 'auto' });
      await assert.rejects(wrong, { fault: 'wrong_password' });
    },
    CASE_MS,
  );

  it('has left nothing in the machine that lasts', async () => {
    assert.deepEqual(readdirSync('/etc/NetworkManager/system-connections'), []);
  });
}
