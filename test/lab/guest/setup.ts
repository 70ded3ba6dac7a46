/** The way onto the shop's network: the wifi image with a printer and no network, and a phone that reads the slip. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { BTN_0, BUS_HOST, makeDevice } from './buttons.ts';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { type Image, startImage, startNodeOf } from './image.ts';
import { load, loadUsb } from './kernel.ts';
import { type NetworkView, network } from './network.ts';
import { CUT, type Slip, slipOn } from './slip.ts';
import { type It, story } from './suite.ts';
import { type Phone, phoneJoins, SHOP, type Shop, startWireless } from './wireless.ts';

const APPLIANCE = ['--appliance', '--host', '0.0.0.0', '--port', '80'];
/** A network manager that is overloaded fails to open a network; the node tries again. */
const CASE_MS = 600_000;
const PATIENCE_MS = 240_000;
const LOOK_MS = 2000;
/** Looks at a network that is to stay. */
const LOOKS = 3;

export function setupSuite(runner: It): void {
  const steps = story(runner);
  const it: It = (promise, check) => steps(promise, check, CASE_MS);
  let shop: Shop;
  let epson: EpsonPrinter;
  let button: Awaited<ReturnType<typeof makeDevice>>;
  let node: Image;
  let slip: Slip;
  let mac = '';
  let phone: Phone;

  const printed = () => until(async () => slipOn(epson.job), 'a slip', PATIENCE_MS, LOOK_MS);
  const join = async (): Promise<Phone> => {
    const joined = await phoneJoins(slip);
    assert.ok(joined, 'the key on the slip is not that of the network');
    return joined;
  };
  /** As the script on the portal's page does it. */
  const send = (password: string, origin = new URL(slip.url).origin) => {
    const head = ['-H', `Origin: ${origin}`, '-H', 'Content-Type: text/plain;charset=UTF-8'];
    const body = JSON.stringify({ ssid: SHOP.ssid, password });
    return phone.fetch(new URL('/provision', slip.url).href, ...head, '--data-binary', body);
  };
  /** Somebody in the shop asks the node at the address that the shop's DHCP gave it. */
  const assertInShop = async () => {
    const look = async () => {
      const address = shop.addressOf(mac);
      if (address === undefined) return undefined;
      const page = await shop.fetch(`http://${address}/network`).catch(() => undefined);
      return page && (JSON.parse(page.body) as NetworkView);
    };
    // It has its address a moment before the network manager calls it connected.
    const there = async () => {
      const view = await look();
      return view?.mode === 'station' ? view : undefined;
    };
    const { ssid, ipv4 } = await until(there, 'the node in the shop', PATIENCE_MS, LOOK_MS);
    assert.deepEqual([ssid, ipv4.address], [SHOP.ssid, shop.addressOf(mac)]);
    for (let looks = 0; looks < LOOKS; looks += 1) {
      assert.equal((await look())?.mode, 'station', 'the node left the network that it had joined');
      await delay(LOOK_MS);
    }
    assert.equal((await shop.fetch(`http://${ipv4.address}/status`)).code, 200);
  };

  it('opens its own network, and prints its name, its key and the address of its page', async () => {
    shop = await startWireless();
    loadUsb();
    load('uinput');
    button = await makeDevice(BUS_HOST, [BTN_0]);
    epson = new EpsonPrinter(await epsonGadget());
    await epson.gadget.plug();
    node = await startImage('wifi', APPLIANCE);
    slip = await printed();
    const { mode, ssid, ipv4, ...view } = await network();
    mac = view.mac;
    assert.deepEqual([mode, ssid, `http://${ipv4.address}/`], ['setup', slip.ssid, slip.url]);
  });

  it('lets in a phone that has the key from the slip, and leads every name to its page', async () => {
    phone = await join();
    const check = await phone.fetch('http://connectivitycheck.gstatic.com/generate_204');
    assert.equal(check.code, 302);
    assert.match(check.head, new RegExp(`^location: ${slip.url}\r?$`, 'im'));
    const page = await phone.fetch(slip.url);
    assert.equal(page.code, 200);
    assert.match(page.body, /<form/);
    assert.ok(page.body.includes('data-ssid="Shop: &quot;Café&quot; \\ 1"'), 'the shop’s network is not on the page');
  });

  it('takes no credentials from another page', async () => {
    const { code, body } = await send(SHOP.password, 'http://connectivitycheck.gstatic.com');
    assert.deepEqual([code, JSON.parse(body).error], [403, 'origin_refused']);
    assert.equal((await network()).mode, 'setup');
  });

  it('joins the network that was chosen on its page, and answers there', async () => {
    epson.newJob();
    const { code, body } = await send(SHOP.password);
    assert.deepEqual([code, JSON.parse(body)], [200, { ok: true, ssid: SHOP.ssid, band: 'auto' }]);
    await assertInShop();
    await phone.leave();
    const here = `http://${shop.addressOf(mac)}/`;
    await until(async () => epson.job.split(CUT)[0]?.includes(here), 'a slip with its address', PATIENCE_MS, LOOK_MS);
  });

  it('forgets the network when its button is held about 5 seconds, and opens its own again', async () => {
    epson.newJob();
    await button.hold(5);
    assert.deepEqual(await printed(), slip);
    assert.equal((await network()).mode, 'setup');
    assert.equal(await node.stop(), 0);
    await button.unmake();
  });

  it('comes back to setup after a wrong password, tells why, and joins with the right one (about three minutes shortened to one attempt)', async () => {
    epson.newJob();
    node = await startNodeOf('.cache/lab/impatient-node.mjs', APPLIANCE);
    assert.deepEqual(await printed(), slip);
    phone = await join();
    epson.newJob();
    assert.equal((await send('wr0ng pass, word')).code, 200);
    assert.deepEqual(await printed(), slip);
    await phone.leave();
    phone = await join();
    assert.match((await phone.fetch(slip.url)).body, /did not work: the password is wrong/);
    assert.equal((await send(SHOP.password)).code, 200);
    await assertInShop();
    await phone.leave();
    assert.equal(await node.stop(), 0);
    await epson.gadget.unplug();
  });
}
