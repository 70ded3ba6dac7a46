/** Printer, scanner and scale pulled out and plugged in without end, while receipts are printed. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../../random.ts';
import { epsonGadget, scaleGadget, wedgeGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { type GadgetHid, GadgetScale } from './gadget-hid.ts';
import { keystrokes, STROKES, weighing } from './hid-devices.ts';
import { endpointIs, get, type Image, post, put, startImage, status } from './image.ts';
import { driverOf, openNodes } from './kernel.ts';
import { type Holdings, holdingsOf } from './process.ts';
import { type It, story } from './suite.ts';

const CYCLES = Number(process.env['LAB_CYCLES'] ?? 100);
const SEED = Number(process.env['LAB_SEED'] ?? 2018);
/** The machine is told what the tests here were told. */
export const stormEnv = { LAB_CYCLES: String(CYCLES), LAB_SEED: String(SEED) };
/** A limit for the slowest of machines; an idle one needs a fraction of it. */
export const STORM_BOOT_MS = 600_000 + CYCLES * 6000;

/** Between two pulls at one cable. */
const PAUSE_MS = { least: 20, most: 400 };
/** Cycles of the storm after which it waits until the device is bound, and a receipt is printed. */
const CALM_CYCLES = 10;
const STORM_MS = 120_000 + CYCLES * 6000;
/** After a storm a device is tried again for a minute. */
const CALM_MS = 120_000;
const ENDPOINTS = ['receipt', 'scanner', 'scale'] as const;
const LINES = 12;
/** Growth of a heap that has seen its first garbage; a leak of one device object a cycle would be far more. */
const GROWTH_BYTES = 24 * 1024 * 1024;

interface Cable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface Receipt {
  readonly number: number;
  readonly code: number;
  readonly outcome: unknown;
  readonly error: unknown;
}

export function stormSuite(runner: It): void {
  const it = story(runner);
  let image: Image;
  let epson: EpsonPrinter;
  let wedge: GadgetHid;
  let dymo: GadgetScale;
  let before: Holdings;
  const receipts: Receipt[] = [];

  /** A receipt that can be found on the paper, whole or not. */
  async function print(): Promise<Receipt> {
    const number = receipts.length;
    receipts.push({ number, code: 0, outcome: undefined, error: undefined });
    const lines = [...textOf(number).map((value) => ({ type: 'text', value })), { type: 'cut' }];
    const command = { type: 'print', id: `receipt-${number}`, endpoint: 'receipt', confirm: true, lines };
    const { code, result } = await post('/print', command);
    const receipt = { number, code, outcome: result['outcome'], error: result['error'] };
    receipts[number] = receipt;
    return receipt;
  }

  const allBound = async () => {
    for (const endpoint of ENDPOINTS) {
      await endpointIs(endpoint, 'bound', CALM_MS).catch(async (error: Error) => {
        throw new Error(`${error.message} ${String(error.cause)}: ${JSON.stringify(await status())}`);
      });
    }
  };

  /** Every device does its work: what is bound is alive. */
  async function work(): Promise<void> {
    await allBound();
    const { accepted } = await get<{ accepted: number }>('/scans');
    await wedge.report(...keystrokes(STROKES.us));
    await answers(async () => (await get<{ accepted: number }>('/scans')).accepted > accepted, 'a scan');
    dymo.current = weighing(1135);
    await answers(async () => (await get<{ weight: unknown }>('/scale')).weight === 113.5, 'a weight');
    dymo.current = weighing(0);
    await answers(async () => (await get<{ weight: unknown }>('/scale')).weight === 0, 'an empty scale');
    assert.deepEqual((await print()).outcome, 'confirmed');
  }

  it(
    'binds printer, scanner and scale',
    async () => {
      image = await startImage();
      epson = new EpsonPrinter(await epsonGadget());
      wedge = await wedgeGadget();
      dymo = new GadgetScale(await scaleGadget(), weighing(0));
      await put('/config', { scanner: { interKeyTimeoutMs: 1000, duplicateWindowMs: 0 } });
      await Promise.all([epson.gadget.plug(), wedge.plug(), dymo.plug()]);
      await work();
      before = holdingsOf(image.pid);
    },
    3 * CALM_MS,
  );

  it(
    `outlives ${CYCLES} pulls at each of their cables, in the random order of seed ${SEED}, while it prints`,
    async () => {
      const printer: Cable = { connect: () => epson.gadget.connect(), disconnect: () => epson.gadget.unplug() };
      const cables = { receipt: printer, scanner: wedge, scale: dymo.gadget };
      const confirmed = () => receipts.filter(({ outcome }) => outcome === 'confirmed').length;
      let raging = true;
      const customer = async () => {
        while (raging) {
          const { code, error } = await print();
          if (code === 409 && error === 'no_printer') await delay(20);
        }
      };
      const printing = Promise.all([customer(), customer()]);
      await Promise.all(
        ENDPOINTS.map(async (endpoint, index) => {
          const cable = cables[endpoint];
          const next = randomFrom(SEED + index);
          const pause = () => delay(PAUSE_MS.least + next() * (PAUSE_MS.most - PAUSE_MS.least));
          for (let cycle = 0; cycle < CYCLES; cycle += 1) {
            await cable.disconnect();
            await pause();
            await cable.connect();
            if (cycle % CALM_CYCLES === 0) {
              const printed = confirmed();
              await endpointIs(endpoint, 'bound', CALM_MS);
              if (endpoint === 'receipt') await answers(async () => confirmed() > printed, 'a receipt');
            }
            await pause();
          }
        }),
      );
      raging = false;
      await printing;
      assert.equal(image.ending(), undefined);
    },
    STORM_MS,
  );

  it(
    'has every device bound and at work afterwards',
    async () => {
      await work();
      const { peripherals } = await status();
      const ports = peripherals.flatMap(({ device }) => device?.['port'] ?? []);
      assert.deepEqual(ports.map(driverOf), ['usbfs', 'usbfs', 'usbfs']);
    },
    2 * CALM_MS,
  );

  it('has printed what it says it printed, and nothing twice', async () => {
    const paper = epson.job;
    const begun = new Map<number, number>();
    for (const [, number] of paper.matchAll(/receipt (\d+) line 0 /g)) {
      begun.set(Number(number), (begun.get(Number(number)) ?? 0) + 1);
    }
    const tally: Record<string, number> = {};
    for (const { number, code, outcome, error } of receipts) {
      const answer = String(outcome ?? error ?? code);
      const times = begun.get(number) ?? 0;
      const whole =
        times === 1 &&
        paper.includes(
          textOf(number)
            .map((line) => `${line}\n`)
            .join(''),
        );
      const found = `${answer}${whole ? ', on the paper' : times > 0 ? ', begun' : ''}`;
      tally[found] = (tally[found] ?? 0) + 1;
      assert.ok(times <= 1, `receipt ${number} (${answer}) is there ${times} times`);
      if (outcome === 'confirmed') assert.ok(whole, `receipt ${number} is confirmed, and missing`);
      if (error === 'no_printer') assert.equal(times, 0, `receipt ${number} was refused, and begun`);
    }
    console.error(JSON.stringify(tally));
    assert.ok((tally['confirmed, on the paper'] ?? 0) > CYCLES / CALM_CYCLES, JSON.stringify(tally));
  });

  it('holds nothing more than before', async () => {
    const after = holdingsOf(image.pid);
    console.error(JSON.stringify({ before, after }));
    assert.deepEqual(after.files, before.files);
    assert.deepEqual([after.watches, after.listening], [before.watches, before.listening]);
    const growth = after.residentBytes - before.residentBytes;
    assert.ok(growth < GROWTH_BYTES, `grew by ${growth} bytes`);
  });

  it('ends as it should', async () => {
    assert.equal(await image.stop(), 0);
    assert.equal(openNodes(), 0);
    await Promise.all([epson.gadget.unplug(), wedge.unplug(), dymo.unplug()]);
  });
}

const answers = (look: () => Promise<boolean>, what: string) =>
  until(async () => (await look()) || undefined, what, CALM_MS, 50);

const textOf = (number: number): string[] =>
  Array.from({ length: LINES }, (_, line) => `receipt ${number} line ${line} of ${LINES}`);
