/** Scales on serial lines behind real adapters: five protocols, each with ten faults. A weight or a named fault, never a zero. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { SCALE_PROTOCOLS } from '../../../codecs/serial-scales.ts';
import { type GadgetIdentity, until } from './gadget.ts';
import { GadgetAcm } from './gadget-acm.ts';
import { GadgetFtdi } from './gadget-ftdi.ts';
import { get, type Image, listen, post, put, startImage, status } from './image.ts';
import { driverOf } from './kernel.ts';
import { type Adapter, type Fault, SerialScale } from './serial-scale.ts';
import { type It, story } from './suite.ts';

interface Plugged extends Adapter {
  readonly heard: string;
  plug(): Promise<void>;
  unplug(): Promise<void>;
}
interface Seat {
  /** The driver of the kernel, and the device node that it makes. */
  readonly driver: string;
  readonly node: string;
  readonly identity: GadgetIdentity;
  readonly create: () => Promise<Plugged>;
}

const names = { make: 'FTDI', model: 'FT232R USB UART', serial: 'A50285BI' };
const FTDI: GadgetIdentity = { port: 0, vendorId: '0403', productId: '6001', ...names };
const ACM: GadgetIdentity = {
  ...FTDI,
  port: 1,
  vendorId: '1a86',
  productId: '55d4',
  make: 'QinHeng',
  serial: 'ACM0001',
};

export const SEATS: Readonly<Record<string, Seat>> = {
  'an FTDI adapter': {
    driver: 'ftdi_sio',
    node: '/dev/ttyUSB0',
    identity: FTDI,
    create: () => GadgetFtdi.create(FTDI),
  },
  'a CDC-ACM adapter': {
    driver: 'cdc_acm',
    node: '/dev/ttyACM0',
    identity: ACM,
    async create() {
      const gadget = await GadgetAcm.create(ACM);
      const adapter: Plugged = {
        onBytes: () => {},
        get heard() {
          return gadget.heard;
        },
        plug: () => gadget.plug(),
        unplug: () => gadget.unplug(),
        write: (bytes) => void gadget.write(bytes),
      };
      gadget.onBytes = (bytes) => adapter.onBytes(bytes);
      return adapter;
    },
  },
};

type Block = Readonly<Record<string, unknown>>;
const PATIENCE_MS = 20_000;
/** A look costs the machine more than what it looks at: seldom. */
const LOOK_MS = 300;
const BEFORE = 4876;
const DURING = 2345;
const AFTER = 1234;
const weighs = (grams: number) => (block: Block) => block['weight'] === grams / 1000 && block['unit'] === 'kg';
const faulty = ({ weight, fault }: Block) => weight === null && fault === 'fault';
const asleep = ({ weight, status: state }: Block) => weight === null && state === 'asleep';
const absent = ({ weight, status: state }: Block) => weight === null && state === 'absent';
const any =
  (...states: ((block: Block) => boolean)[]) =>
  (block: Block) =>
    states.some((state) => state(block));

/** What each fault has to look like. */
const FAULTS: Readonly<Record<string, { readonly fault: Fault; readonly shows: (block: Block) => boolean }>> = {
  'that is silent': { fault: 'silence', shows: asleep },
  'of another parity': { fault: 'parity', shows: any(weighs(DURING), faulty) },
  'of another speed': { fault: 'speed', shows: any(faulty, asleep) },
  'with noise before its message': { fault: 'noise', shows: weighs(DURING) },
  'with two messages in one read': { fault: 'twice', shows: weighs(DURING) },
  'with messages cut in the middle': { fault: 'cut', shows: faulty },
  'that is pulled in the middle': { fault: 'cut', shows: faulty },
  'that is pulled and plugged in again': { fault: 'none', shows: weighs(DURING) },
  'that answers late': { fault: 'late', shows: any(weighs(DURING), asleep) },
  'with nothing but garbage': { fault: 'garbage', shows: faulty },
};
const PULLED = ['that is pulled in the middle', 'that is pulled and plugged in again'];

const scaleWhere = (shows: (block: Block) => boolean, what: string) => {
  let last: Block = {};
  return until(
    async () => {
      last = await get<Block>('/scale');
      return shows(last) ? last : undefined;
    },
    what,
    PATIENCE_MS,
    LOOK_MS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; seen last: ${JSON.stringify(last)}`);
  });
};

export function serialSuite(title: string): (runner: It) => void {
  const seat = SEATS[title];
  if (seat === undefined) throw new Error(`no seat ${title}`);
  return (runner) => {
    const it = story(runner);
    let image: Image;
    let adapter: Plugged;
    let scale: SerialScale;
    let port: string;
    let events: { readonly events: Block[]; close(): void };

    const portOf = async () => {
      const { adapters } = await get<{ adapters: { port: string; serial?: string }[] }>('/serial');
      return adapters.find(({ serial }) => serial === seat.identity.serial)?.port;
    };
    const assign = async (assignment: object | null) => {
      const { code, result } = await put('/config', { serial: { [port]: assignment } });
      assert.equal(code, 200, JSON.stringify(result));
    };

    it(`${title} that nobody has said anything about is left to the kernel, and told nothing`, async () => {
      adapter = await seat.create();
      await adapter.plug();
      await until(async () => existsSync(seat.node) || undefined, seat.node);
      image = await startImage('station-hub');
      port = await until(portOf, 'the adapter in GET /serial');
      await until(async () => (await status()).rejections.length > 0 || undefined, 'the adapter to be parked');
      assert.equal(driverOf(port), seat.driver);
      assert.equal(adapter.heard, '');
    });

    it(`${title} is taken from the kernel while the protocols are tried, and given back`, async () => {
      scale = new SerialScale('toledo-8217', adapter);
      scale.grams = BEFORE;
      const { code, result } = await post('/serial/try', { port });
      scale.stop();
      assert.deepEqual([code, result['protocol']], [200, 'toledo-8217'], JSON.stringify(result));
      await until(async () => existsSync(seat.node) || undefined, `${seat.node} again`);
      assert.equal(driverOf(port), seat.driver);
    });

    for (const protocol of SCALE_PROTOCOLS) {
      it(`${title} with a scale that speaks ${protocol} is taken from the kernel, and weighs`, async () => {
        scale = new SerialScale(protocol, adapter);
        scale.grams = BEFORE;
        events = await listen('scale_weight_changed');
        await assign({ kind: 'scale', protocol });
        await scaleWhere(weighs(BEFORE), 'the first weight');
        assert.equal(driverOf(port), 'usbfs');
        assert.ok(!existsSync(seat.node), `${seat.node} is gone`);
      });

      for (const [name, { fault, shows }] of Object.entries(FAULTS)) {
        it(`${title}: ${protocol} ${name}`, async () => {
          // The line itself is wrong where the adapter knows how it is set.
          const line =
            adapter.line &&
            (fault === 'speed'
              ? { baudRate: 4800 }
              : fault === 'parity' && {
                  dataBits: scale.line.dataBits === 7 ? 8 : 7,
                  parity: scale.line.dataBits === 7 ? 'none' : 'even',
                });
          scale.grams = DURING;
          if (line) await assign({ kind: 'scale', protocol, line });
          else scale.fault = fault;
          if (!PULLED.includes(name) || fault === 'cut') await scaleWhere(shows, name);
          if (PULLED.includes(name)) {
            await adapter.unplug();
            await scaleWhere(absent, 'the scale to be absent');
            scale.fault = 'none';
            await adapter.plug();
            await scaleWhere(weighs(DURING), 'the weight after the plug');
          }
          scale.fault = 'none';
          scale.grams = AFTER;
          if (line) await assign({ kind: 'scale', protocol });
          await scaleWhere(weighs(AFTER), 'the weight on a good line');
          const told = new Set(events.events.map(({ weight }) => weight));
          for (const grams of [BEFORE, DURING, AFTER]) told.delete(grams / 1000);
          told.delete(null);
          assert.deepEqual([...told], [], 'weights that were not on it');
        });
      }

      it(`${title} is the kernel's again once ${protocol} is taken away`, async () => {
        events.close();
        scale.stop();
        await assign(null);
        await until(async () => existsSync(seat.node) || undefined, `${seat.node} again`);
        assert.equal(driverOf(port), seat.driver);
      });
    }

    it(`${title} with nothing on its line wakes the node at most five times a second`, async () => {
      await assign({ kind: 'scale', protocol: 'scale-stream' });
      await scaleWhere(asleep, 'silence');
      if (!(adapter instanceof GadgetFtdi)) return;
      const before = adapter.statusPackets;
      await delay(3000);
      const packets = adapter.statusPackets - before;
      assert.ok(packets >= 3 && packets <= 15, `${packets} packets in 3 s`);
    });

    it(`${title} is the kernel's again when the node stops`, async () => {
      assert.equal(await image.stop(), 0);
      await until(async () => existsSync(seat.node) || undefined, `${seat.node} again`);
      assert.equal(driverOf(port), seat.driver);
      await adapter.unplug();
    });
  };
}
