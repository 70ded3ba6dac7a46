/** First start, over and over, with a supplicant that comes late, hangs or dies at each step of it. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { type Image, startImage } from './image.ts';
import { loadUsb } from './kernel.ts';
import { type NetworkView, network } from './network.ts';
import { type Slip, slipOn } from './slip.ts';
import type { It } from './suite.ts';
import { comeBack, goAway, goOn, hang, kill, restartManager, saidByManager } from './supplicant.ts';
import { type Phone, phoneJoins, SHOP, startWireless } from './wireless.ts';

const APPLIANCE = ['--appliance', '--host', '0.0.0.0', '--port', '80'];
const CONSOLE = '/dev/console';
const RUNS = Number(process.env['LAB_RUNS'] ?? 3);
/** Setup is open so soon after the supplicant is back (README of the room). */
const HEALED_MS = 90_000;
const CASE_MS = 400_000;
/** A look costs the node two runs of nmcli; only what passes is looked for often. */
const LOOK_MS = 4000;
const GLANCE_MS = 500;

const networkWhere = (wanted: (view: NetworkView) => boolean, what: string, patienceMs = HEALED_MS, lookMs = LOOK_MS) =>
  until(
    async () => {
      const view = await network().catch(() => undefined);
      return view !== undefined && wanted(view) ? view : undefined;
    },
    what,
    patienceMs,
    lookMs,
  );
const isOpen = ({ mode }: NetworkView) => mode === 'setup';
const isJoined = ({ mode, ssid }: NetworkView) => mode === 'station' && ssid === SHOP.ssid;
const isTrying = (to: string) => (view: NetworkView) => view.trying?.to === to;
const hasFailedOnce = ({ trying }: NetworkView) => trying?.lastFault !== undefined;

export function healSuite(declare: It): void {
  let epson: EpsonPrinter;
  let node: Image | undefined;

  /** Each with a network manager and a node that have just been started, and nothing in its settings. */
  const fresh = (promise: string, check: () => Promise<void>) =>
    declare(
      promise,
      async () => {
        await startWireless();
        if (epson === undefined) {
          loadUsb();
          epson = new EpsonPrinter(await epsonGadget());
          await epson.gadget.plug();
        }
        epson.newJob();
        rmSync('/run/tillnode', { recursive: true, force: true });
        try {
          await check();
        } catch (error) {
          writeFileSync(CONSOLE, `${promise}: what the network manager said\n${saidByManager()}`);
          throw error;
        } finally {
          goOn();
          comeBack();
          await node?.stop();
          node = undefined;
        }
      },
      CASE_MS,
    );
  const start = async () => {
    await restartManager();
    node = await startImage('wifi', APPLIANCE);
  };
  const open = () => networkWhere(isOpen, 'setup to be open');
  const slip = (): Promise<Slip> => until(async () => slipOn(epson.job), 'a slip', HEALED_MS, LOOK_MS);
  const phoneOnSetup = async (): Promise<Phone> => {
    const phone = await phoneJoins(await slip());
    assert.ok(phone, 'the key on the slip is not that of the network');
    return phone;
  };
  const provision = async (phone: Phone, password: string = SHOP.password) => {
    const url = new URL('/provision', (await slip()).url).href;
    const body = JSON.stringify({ ssid: SHOP.ssid, password });
    assert.equal((await phone.fetch(url, '--data-binary', body)).code, 200);
  };

  for (let run = 1; run <= RUNS; run += 1) {
    fresh(`opens setup and joins right after its network manager came up (${run} of ${RUNS})`, async () => {
      await start();
      await open();
      const phone = await phoneOnSetup();
      await provision(phone);
      await networkWhere(isJoined, 'the node in the shop');
      await phone.leave();
    });
  }

  fresh('opens setup where the supplicant comes late', async () => {
    goAway();
    await start();
    await networkWhere(hasFailedOnce, 'a try that failed', CASE_MS);
    comeBack();
    await open();
    await slip();
  });

  fresh('opens setup where the supplicant hung while it was to be opened', async () => {
    await start();
    await networkWhere(isTrying('open_setup'), 'setup to be tried', HEALED_MS, GLANCE_MS);
    hang();
    await networkWhere(hasFailedOnce, 'a try that failed', CASE_MS);
    goOn();
    await open();
    await slip();
  });

  fresh('opens setup where the supplicant died while it was opened', async () => {
    await start();
    await networkWhere(isTrying('open_setup'), 'setup to be tried', HEALED_MS, GLANCE_MS);
    kill();
    await open();
    await slip();
  });

  fresh('opens setup again where the supplicant died while it was open', async () => {
    await start();
    await open();
    kill();
    await networkWhere((view) => !isOpen(view), 'setup to be gone', HEALED_MS, GLANCE_MS);
    await open();
  });

  for (const [what, injure, cure] of [
    ['died', kill, () => {}],
    ['hung', hang, goOn],
  ] as const) {
    fresh(`joins where the supplicant ${what} while it joined`, async () => {
      await start();
      await open();
      const phone = await phoneOnSetup();
      await provision(phone);
      await networkWhere(isTrying('join'), 'the join', HEALED_MS, GLANCE_MS);
      injure();
      if (what === 'hung') await networkWhere(hasFailedOnce, 'a try that failed', CASE_MS);
      cure();
      await networkWhere(isJoined, 'the node in the shop');
      await phone.leave();
    });
  }

  fresh('joins again where the supplicant died after it had joined', async () => {
    await start();
    await open();
    const phone = await phoneOnSetup();
    await provision(phone);
    await networkWhere(isJoined, 'the node in the shop');
    await phone.leave();
    kill();
    await networkWhere((view) => !isJoined(view), 'the network to be gone', HEALED_MS, GLANCE_MS);
    await networkWhere(isJoined, 'the node in the shop again');
  });
}
