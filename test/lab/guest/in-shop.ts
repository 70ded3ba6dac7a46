/** The installed package from its box to a receipt: a Debian with a radio and a printer, a phone, and a shop. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UPDATE_KEY } from '../../image/launched.ts';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { load, loadUsb } from './kernel.ts';
import type { NetworkView } from './network.ts';
import { type Slip, slipOn } from './slip.ts';
import { type It, story } from './suite.ts';
import { openShop, phoneJoins, SHOP, SHOP_GATEWAY, type Shop } from './wireless.ts';

/** Longest wait on a machine that is emulated. */
const PATIENCE_MS = 500_000;
const CASE_MS = 600_000;
const LOOK_MS = 3000;
/** The package, an image of a later version, and the program that asks by mDNS. */
const { LAB_PACKAGE = '', LAB_IMAGE = '', LAB_IMAGE_VERSION = '', LAB_ASK_MDNS = '' } = process.env;

const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const journal = (...args: readonly string[]) => spawnSync('journalctl', ['-b', '-q', '--no-pager', ...args]).stdout;
const logOfTheNode = () => journal('-u', 'tillnode.service', '-o', 'cat').toString().split('\n').slice(-60).join('\n');

interface Status {
  readonly identity: { readonly deviceId: string; readonly slot: string; readonly firmwareVersion: string };
  readonly peripherals: readonly { readonly endpoint: string; readonly condition: string }[];
}
/** What failed, with what the node said until then. */
const telling = (it: It): It => {
  const told = story(it);
  return (promise, check) =>
    told(
      promise,
      () =>
        check().catch((error: Error) => {
          throw new Error(`${error.stack}\n${logOfTheNode()}`);
        }),
      CASE_MS,
    );
};

async function plugPrinter(): Promise<EpsonPrinter> {
  load('configfs');
  run('systemctl', 'start', 'sys-kernel-config.mount');
  loadUsb();
  const epson = new EpsonPrinter(await epsonGadget());
  await epson.gadget.plug();
  return epson;
}

/** What somebody who is on the shop's network sees of the node. */
function counter(shop: Shop) {
  const mac = readFileSync('/sys/class/net/wlan0/phy80211/macaddress', 'utf8').trim();
  const url = (path: string) => `http://${shop.addressOf(mac)}${path}`;
  const body = async <T>(path: string, ...options: readonly string[]) =>
    JSON.parse((await shop.fetch(url(path), ...options)).body) as T;
  const send = (method: string, path: string, data: unknown) =>
    body<Record<string, unknown>>(path, '-X', method, '--data-binary', JSON.stringify(data));
  return {
    body,
    send,
    url,
    /** Once it is on that network. */
    joined: () =>
      until(
        async () => {
          if (shop.addressOf(mac) === undefined) return undefined;
          const view = await body<NetworkView>('/network').catch(() => undefined);
          return view?.mode === 'station' ? view : undefined;
        },
        'the node in the shop',
        PATIENCE_MS,
        LOOK_MS,
      ),
    statusWhere: (wanted: (status: Status) => boolean, what: string) =>
      until(
        async () => {
          const status = await body<Status>('/status').catch(() => undefined);
          return status !== undefined && wanted(status) ? status : undefined;
        },
        what,
        PATIENCE_MS,
        LOOK_MS,
      ),
    /** The addresses that its name leads to. */
    async named() {
      const { identity } = await body<Status>('/status');
      const name = `node-${identity.deviceId}.local`;
      return (await shop.run(process.execPath, LAB_ASK_MDNS, name, SHOP_GATEWAY)).trim().split('\n');
    },
    async prints(epson: EpsonPrinter, text: string) {
      epson.newJob();
      const lines = [{ type: 'text', value: text }, { type: 'cut' }];
      const result = await send('POST', '/print', { type: 'print', id: text, endpoint: 'receipt', lines });
      assert.equal(result['ok'], true, JSON.stringify(result));
      await until(async () => epson.job.includes(text) || undefined, `${text} on the paper`);
    },
    address: () => shop.addressOf(mac),
  };
}

/** Nothing that the unit refuses has ended a program (seccomp(2) logs each as an audit record of type 1326). */
const assertNoneWasEnded = () => assert.doesNotMatch(journal('-k').toString(), /type=1326|SIGSYS/);

/** From the package to a box that works and was updated. It ends in a restart of the machine. */
export function inShopSuite(runner: It): void {
  const it = telling(runner);
  let shop: Shop;
  let epson: EpsonPrinter;
  let slip: Slip;

  it('opens its own network once it is installed, and prints how to get there', async () => {
    shop = await openShop();
    epson = await plugPrinter();
    const { status, stdout, stderr } = spawnSync('dpkg', ['-i', LAB_PACKAGE], { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
    slip = await until(async () => slipOn(epson.job), 'a slip', PATIENCE_MS, LOOK_MS);
  });

  it('is set up by a phone on that network, and joins the network of the shop', async () => {
    const phone = await phoneJoins(slip);
    assert.ok(phone, 'the key on the slip is not that of the network');
    assert.equal((await phone.fetch('http://connectivitycheck.gstatic.com/generate_204')).code, 302);
    assert.match((await phone.fetch(slip.url)).body, /<form/);
    const body = JSON.stringify({ ssid: SHOP.ssid, password: SHOP.password });
    const { code } = await phone.fetch(new URL('/provision', slip.url).href, '--data-binary', body);
    assert.equal(code, 200);
    const { ssid, ipv4 } = await counter(shop).joined();
    assert.deepEqual([ssid, ipv4.address], [SHOP.ssid, counter(shop).address()]);
    await phone.leave();
  });

  it('prints a receipt for the shop, where its name leads to it by mDNS', async () => {
    await counter(shop).prints(epson, 'First receipt');
    assert.ok((await counter(shop).named()).includes(counter(shop).address() ?? ''));
  });

  it('takes an update over the network of the shop', async () => {
    const { send, url, statusWhere } = counter(shop);
    assert.equal((await send('PUT', '/update', { updateKey: UPDATE_KEY }))['ok'], true);
    const head = [`Authorization: Bearer ${UPDATE_KEY}`, `X-NODE-Image-Sha256: ${digestOf(LAB_IMAGE)}`];
    const options = head.flatMap((line) => ['-H', line]);
    const { code, body } = await shop.fetch(url('/update'), ...options, '--data-binary', `@${LAB_IMAGE}`);
    assert.deepEqual([code, JSON.parse(body).version], [200, LAB_IMAGE_VERSION]);
    const { identity } = await statusWhere(
      ({ identity }) => identity.firmwareVersion === LAB_IMAGE_VERSION,
      'the new image',
    );
    assert.equal(identity.slot, 'a');
    await statusWhere(isPrinterBound, 'the printer');
    await counter(shop).prints(epson, 'Second receipt');
  });

  it('draws what the printer has no font for, in a thread that its unit lets it have', async () => {
    epson.newJob();
    const lines = [{ type: 'text', value: 'ขอบคุณ شكرا' }, { type: 'cut' }];
    const result = await counter(shop).send('POST', '/print', {
      type: 'print',
      id: 'drawn',
      endpoint: 'receipt',
      lines,
    });
    assert.deepEqual([result['ok'], result['detail']], [true, undefined], JSON.stringify(result));
    await until(async () => epson.job.includes('\x1dv0') || undefined, 'a drawn row on the paper');
  });

  it('has had no program of its own ended by what its unit refuses', async () => {
    assertNoneWasEnded();
    // What it is measured with does measure: so it would be, were what is refused not answered with an error.
    spawnSync('systemd-run', ['--wait', '--quiet', '-p', 'SystemCallFilter=~@resources', 'nmcli', 'general']);
    assert.throws(assertNoneWasEnded);
    await epson.gadget.unplug();
  });
}

/** After the restart. */
export function againInShopSuite(runner: It): void {
  const it = telling(runner);
  let shop: Shop;

  it('is in the shop again by itself when the machine was started anew, with its update', async () => {
    shop = await openShop();
    const { ssid, ipv4 } = await counter(shop).joined();
    assert.deepEqual([ssid, ipv4.address], [SHOP.ssid, counter(shop).address()]);
    const { identity } = await counter(shop).body<Status>('/status');
    assert.deepEqual([identity.slot, identity.firmwareVersion], ['a', LAB_IMAGE_VERSION]);
  });

  it('prints a receipt there as before', async () => {
    const epson = await plugPrinter();
    await counter(shop).statusWhere(isPrinterBound, 'the printer');
    await counter(shop).prints(epson, 'Third receipt');
    assert.ok((await counter(shop).named()).includes(counter(shop).address() ?? ''));
    assertNoneWasEnded();
  });
}

const isPrinterBound = ({ peripherals }: Status) =>
  peripherals.some(({ endpoint, condition }) => endpoint === 'receipt' && condition === 'bound');

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
