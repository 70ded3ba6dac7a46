/**
 * The native radio binding among the networks that shops have: each is joined, or the API refuses it with the reason
 * before anything is stored. Those of hostapd, which routers run.
 */
import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { createRadio } from '../../../runtime/bindings/native/radio.ts';
import type { RadioBinding, WifiCredentials } from '../../../runtime/bindings/network.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import custody from '../../../runtime/services/custody/index.ts';
import network from '../../../runtime/services/network/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { until } from './gadget.ts';
import type { It } from './suite.ts';
import { becomesRouter, changesChannel, type Network, pointEnds, startWireless } from './wireless.ts';

/** An emulated machine takes many times as long as a real one. */
const PATIENT = { askMs: 90_000, scanMs: 60_000, activateSeconds: 120, dhcpSeconds: 30 };
const CASE_MS = 300_000;
const BACK_MS = 120_000;
const LOOK_MS = 2000;
const KEY = ' four words: "eclair" ';
const WRONG = 'wr0ng pass, word';

const rawKey = (ssid: string, passphrase: string): string =>
  pbkdf2Sync(passphrase, ssid, 4096, 32, 'sha1').toString('hex');
const named = (ssid: string): string => `ssid2=${Buffer.from(ssid).toString('hex')}`;
const rsn = (management: string, ...lines: readonly string[]): Network => [
  ...['wpa=2', 'rsn_pairwise=CCMP', `wpa_key_mgmt=${management}`],
  ...lines,
];
const open = (ssid: string): Network => [named(ssid)];
const wpa2 = (ssid: string): Network => [named(ssid), ...rsn('WPA-PSK', `wpa_passphrase=${KEY}`)];
const wpa3 = (ssid: string): Network => [named(ssid), ...rsn('SAE', 'ieee80211w=2', `sae_password=${KEY}`)];
const mixed = (ssid: string): Network => [named(ssid), ...rsn('WPA-PSK SAE', 'ieee80211w=1', `wpa_passphrase=${KEY}`)];
const enhanced = (ssid: string): Network => [named(ssid), ...rsn('OWE', 'ieee80211w=2')];
const enterprise = (ssid: string): Network => [
  named(ssid),
  ...rsn('WPA-EAP', 'ieee8021x=1', 'auth_server_addr=127.0.0.1', 'auth_server_port=1812'),
  'auth_server_shared_secret=secret',
];

/** True, or undefined, for `until`. */
async function isListed(radio: RadioBinding, ...names: readonly string[]): Promise<true | undefined> {
  const seen = new Set((await radio.scan()).map(({ ssid }) => ssid));
  return names.every((name) => seen.has(name)) || undefined;
}

const joined = async (radio: RadioBinding): Promise<unknown> => {
  const { mode, ssid } = await radio.read();
  return mode === 'station' ? ssid : mode;
};

export function joinSuite(it: It): void {
  const given = (promise: string, check: (radio: RadioBinding) => Promise<void>): void =>
    it(
      promise,
      async () => {
        await startWireless();
        const radio = createRadio(PATIENT);
        try {
          await check(radio);
        } finally {
          await radio.leave();
        }
      },
      CASE_MS,
    );
  const join = (radio: RadioBinding, ssid: string, password: string) => radio.join({ ssid, password, band: 'auto' });
  /** Another name in each case, as a radio may know the network before for a while. */
  const joins = (what: string, ssid: string, password: string, ...networks: readonly [Network, ...Network[]]): void =>
    given(`joins ${what}`, async (radio) => {
      await becomesRouter(1, ...networks);
      await join(radio, ssid, password);
      assert.equal(await joined(radio), ssid);
    });

  joins('an open network', 'Free', '', open('Free'));
  joins('a hidden network', 'Hidden', KEY, [...wpa2('Hidden'), 'ignore_broadcast_ssid=1']);
  joins('a hidden network of WPA3 alone', 'Hidden 3', KEY, [...wpa3('Hidden 3'), 'ignore_broadcast_ssid=1']);
  joins('WPA2 with the key itself', 'Raw', rawKey('Raw', KEY), wpa2('Raw'));
  joins('one of two access points of one name', 'Twins', KEY, wpa2('Twins'), wpa2('Twins'));
  joins('the one with a password, where an open one has its name', 'Evil', KEY, open('Evil'), wpa2('Evil'));

  given('joins an open network that encrypts', async (radio) => {
    await becomesRouter(1, enhanced('Enhanced'));
    // What it is like is known from the list alone.
    await until(() => isListed(radio, 'Enhanced'), 'the network', BACK_MS, LOOK_MS);
    await join(radio, 'Enhanced', '');
    assert.equal(await joined(radio), 'Enhanced');
  });

  for (const [what, kind] of [
    ['WPA2', wpa2],
    ['WPA2 and WPA3', mixed],
    ['WPA3 alone', wpa3],
  ] as const) {
    const ssid = `Wrong ${what}`;
    given(`says that the password of ${what} is wrong`, async (radio) => {
      await becomesRouter(1, kind(ssid));
      await assert.rejects(join(radio, ssid, WRONG), { fault: 'wrong_password' });
      assert.equal(await joined(radio), 'offline');
    });
  }

  given('has the API refuse with the reason what cannot be joined, and store nothing', async (radio) => {
    const NAMES = ['For all', 'Secured', 'Office', 'Modern', 'Raw both'];
    await becomesRouter(
      1,
      ...[open('For all'), wpa2('Secured'), enterprise('Office')],
      ...[wpa3('Modern'), mixed('Raw both')],
    );
    await until(() => isListed(radio, ...NAMES), 'all of them', BACK_MS, LOOK_MS);
    const plugins = [status, settings, custody, network];
    const node = await startTestNode({
      plugins,
      recipes: [],
      run: { host: '127.0.0.1', appliance: true },
      bindings: () => ({ radio }),
    });
    try {
      for (const [body, detail] of [
        [{ ssid: 'For all', password: KEY }, /“For all” is open/],
        [{ ssid: 'Secured', password: '' }, /“Secured” needs its password/],
        [{ ssid: 'Office', password: '' }, /“Office” .*user/],
        [{ ssid: 'Office', password: KEY }, /“Office” .*user/],
        [{ ssid: 'Modern', password: '' }, /“Modern” needs its password/],
        [{ ssid: 'Modern', password: rawKey('Modern', KEY) }, /“Modern” .*WPA3/],
        [{ ssid: 'Raw both', password: rawKey('Raw both', KEY) }, /“Raw both” .*WPA3/],
      ] satisfies [Pick<WifiCredentials, 'ssid' | 'password'>, RegExp][]) {
        const answer = await fetch(`${node.url}/network`, { method: 'POST', body: JSON.stringify(body) });
        const said = (await answer.json()) as { error?: string; detail?: string };
        assert.deepEqual([body, answer.status, said.error], [body, 422, 'invalid_provision']);
        assert.match(said.detail ?? '', detail);
      }
      assert.equal(node.kernel.settings.read('wifi'), undefined);
    } finally {
      await node.stop();
    }
  });

  given('is back on a network whose router was off, and keeps to one that changes its channel', async (radio) => {
    await becomesRouter(1, wpa2('Restart'));
    await join(radio, 'Restart', KEY);
    const isBack = async () => (await joined(radio)) === 'Restart' || undefined;
    await changesChannel(2437);
    await until(isBack, 'the network on another channel', BACK_MS, LOOK_MS);
    await pointEnds();
    await until(async () => (await joined(radio)) !== 'Restart' || undefined, 'the network to go', BACK_MS, LOOK_MS);
    await becomesRouter(11, wpa2('Restart'));
    await until(isBack, 'the network again', BACK_MS, LOOK_MS);
  });
}
