/**
 * What every RadioBinding keeps. Each implementation's own test hands in its runner's `it` and a bench; nothing here
 * needs a test framework, so the suite also runs inside a virtual machine.
 */
import assert from 'node:assert/strict';
import {
  type RadioBinding,
  RadioError,
  type RadioFault,
  type WifiCredentials,
} from '../../runtime/bindings/network.ts';

type It = (promise: string, check: () => Promise<void>) => void;

export interface RadioBench {
  readonly radio: RadioBinding;
  /** In reach, on 2.4 GHz alone, with DHCP. */
  readonly shop: WifiCredentials;
  /** Address of a host on the shop's network, in 255.255.255.0. */
  readonly gateway: string;
  /** Whether a phone comes onto the network with these. */
  phoneJoins(credentials: { readonly ssid: string; readonly password: string }): Promise<boolean>;
  /** On no network, for the next case. */
  dispose(): Promise<void>;
}

/** Characters that some layer below could take for its own. */
const SETUP = { ssid: '-Till: "4" \\ 😀', password: 'a b:c\\d"e\'f#$(g)' };
const WRONG = 'wr0ng pass, word';

export function radioConformance(it: It, createBench: () => Promise<RadioBench>): void {
  const given = (promise: string, check: (bench: RadioBench) => Promise<void>): void =>
    it(promise, async () => {
      const bench = await createBench();
      try {
        await check(bench);
      } finally {
        await bench.dispose();
      }
    });

  given('is offline before it is told to do anything, and sees what is in reach', async ({ radio, shop }) => {
    const state = await radio.read();
    assert.equal(state.mode, 'offline');
    assert.match(state.mac, /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
    const seen = (await radio.scan()).filter(({ ssid }) => ssid === shop.ssid);
    assert.deepEqual(
      seen.map(({ band, security }) => ({ band, security })),
      [{ band: '2.4', security: 'personal' }],
    );
    assert.ok(seen.every(({ signal }) => signal > 0 && signal <= 100));
  });

  given('opens a network of its own that lets in who knows the key, whatever its name', async (bench) => {
    const { radio } = bench;
    const { address } = await radio.openSetup(SETUP);
    const { mode, ssid, band, ipv4 } = await radio.read();
    assert.deepEqual(
      { mode, ssid, band, address: ipv4?.address },
      { mode: 'setup', ssid: SETUP.ssid, band: '2.4', address },
    );
    assert.equal(await bench.phoneJoins({ ...SETUP, password: WRONG }), false);
    assert.equal(await bench.phoneJoins(SETUP), true);
    await radio.leave();
    assert.equal((await radio.read()).mode, 'offline');
  });

  given('leaves its own network for the shop’s, and tells of each change', async ({ radio, shop, gateway }) => {
    let changes = 0;
    const unwatch = radio.watch(() => {
      changes += 1;
    });
    await radio.openSetup(SETUP);
    const opened = changes;
    await radio.join(shop);
    assert.ok(opened > 0 && changes > opened);
    unwatch();
    const { mode, ssid, band, signalDbm = 0, ipv4 } = await radio.read();
    assert.deepEqual([mode, ssid, band, ipv4?.method], ['station', shop.ssid, '2.4', 'dhcp']);
    assert.ok(signalDbm < 0 && signalDbm > -100, String(signalDbm));
    assert.deepEqual([ipv4?.netmask, ipv4?.gateway], ['255.255.255.0', gateway]);
    const told = changes;
    await radio.leave();
    assert.equal(changes, told);
    assert.equal((await radio.read()).mode, 'offline');
  });

  given('says that the password is wrong, and is on no network then', async ({ radio, shop }) => {
    const error = await faultOf(radio.join({ ...shop, password: WRONG }));
    assert.equal(error.fault, 'wrong_password');
    assert.ok(!error.message.includes(WRONG));
    assert.equal((await radio.read()).mode, 'offline');
  });

  given('says that there is no such network', async ({ radio, shop }) => {
    assert.equal(await radio.join({ ...shop, ssid: 'no such' }).then(() => '', faultName), 'no_network');
  });

  given('takes a static address, and hears who is there', async ({ radio, shop, gateway }) => {
    const network = gateway.replace(/\d+$/, '');
    const wanted = { address: `${network}7`, netmask: '255.255.255.0', gateway, dns: gateway };
    await radio.join({ ...shop, band: '2.4' }, wanted);
    assert.deepEqual((await radio.read()).ipv4, { method: 'static', ...wanted });
    assert.equal(await radio.answers(gateway), true);
    assert.equal(await radio.answers(`${network}199`), false);
    assert.ok((await radio.neighbours()).includes(gateway));
  });

  given('does not take a static address that another host has', async ({ radio, shop, gateway }) => {
    const error = await faultOf(radio.join(shop, { address: gateway, netmask: '255.255.255.0' }));
    assert.equal(error.fault, 'address_taken');
    assert.equal((await radio.read()).mode, 'offline');
  });

  given('does one thing after the other, and the next one whatever became of it', async ({ radio, shop }) => {
    const refused = faultOf(radio.join({ ...shop, password: WRONG }));
    const [{ fault }] = await Promise.all([refused, radio.join(shop), radio.leave()]);
    assert.equal(fault, 'wrong_password');
    assert.equal((await radio.read()).mode, 'offline');
  });
}

const faultName = (error: unknown): RadioFault | undefined => (error instanceof RadioError ? error.fault : undefined);

async function faultOf(call: Promise<unknown>): Promise<RadioError> {
  const error = await call.then(
    () => assert.fail('it did'),
    (cause: unknown) => cause,
  );
  if (error instanceof RadioError) return error;
  throw error;
}
