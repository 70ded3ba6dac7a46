/**
 * What every UsbBinding keeps. Each implementation's own test hands in its runner's `it` and a way to set up a bench;
 * nothing here needs a test framework, so the suite also runs inside a virtual machine.
 */
import assert from 'node:assert/strict';
import {
  claim,
  claimed,
  failureOf,
  patient,
  pattern,
  Reports,
  type Session,
  type UsbBench,
  within,
} from './usb-bench.ts';

type It = (promise: string, check: () => Promise<void>) => void;

/** Far more than the printer holds. */
const MORE_THAN_IT_HOLDS = 1_000_001;
const VENDOR_REQUEST = { requestType: 0xc0, request: 0x77, value: 0, index: 0 };
const GET_DEVICE_ID = { requestType: 0xa1, request: 0, value: 0, index: 0 };
const SOFT_RESET = { requestType: 0x21, request: 2, value: 0, index: 0 };

export function usbConformance(it: It, createBench: () => Promise<UsbBench>): void {
  const given = (promise: string, check: (bench: UsbBench) => Promise<void>): void =>
    it(promise, async () => {
      const bench = await createBench();
      try {
        await check(bench);
      } finally {
        await bench.dispose();
      }
    });
  const withPrinter = (promise: string, check: (session: Session) => Promise<void>): void =>
    given(promise, async (bench) => check(await claimed(bench)));

  given('reports a printer that is already there, with its identity, before anything is opened', async (bench) => {
    const reports = new Reports();
    await bench.plug();
    await bench.usb.start(reports);
    const { identity } = await reports.next('connect');
    const { vendorId, productId, make, model, serial } = identity;
    assert.deepEqual({ vendorId, productId, make, model, serial }, bench.printer);
    assert.match(identity.port, /^\d+-\d+(\.\d+)*$/);
    assert.equal(identity.malformed, undefined);
    const [it, ...others] = identity.interfaces;
    assert.deepEqual([it?.number, it?.alternate, it?.class, it?.subclass, it?.protocol], [0, 0, 7, 1, 2]);
    assert.equal(others.length, 0);
    assert.deepEqual(it?.pipes.map(({ direction, type }) => `${type} ${direction}`).sort(), ['bulk in', 'bulk out']);
    for (const pipe of it?.pipes ?? []) assert.equal(pipe.direction === 'in', pipe.address >= 0x80);
    assert.equal(bench.usb.state, 'ok');
  });

  given('reports a printer when it is plugged in, and once when it is gone', async (bench) => {
    const reports = new Reports();
    await bench.usb.start(reports);
    await bench.plug();
    const device = await reports.next('connect');
    await bench.unplug();
    assert.equal(await reports.next('disconnect'), device);
    assert.deepEqual(reports.all, ['connect', 'disconnect']);
  });

  given('reports a printer that is plugged in again as a new device that works', async (bench) => {
    const { reports, device } = await claimed(bench);
    await bench.unplug();
    await reports.next('disconnect');
    await bench.plug();
    const again = await reports.next('connect');
    assert.notEqual(again, device);
    assert.equal(again.identity.port, device.identity.port);
    const { out } = await claim(again);
    await again.transferOut(out, pattern(100), patient);
    assert.deepEqual(await within(bench.take(100), 'bytes'), pattern(100));
    assert.equal((await failureOf(device.transferOut(out, pattern(1), patient))).fault, 'disconnected');
  });

  given('reports a printer that is pulled out and plugged in at once as gone, then as a new one', async (bench) => {
    const { reports, device } = await claimed(bench);
    await bench.unplug();
    await bench.plug();
    assert.equal(await reports.next('disconnect'), device);
    const again = await reports.next('connect');
    assert.notEqual(again, device);
    assert.deepEqual(reports.all, ['connect', 'disconnect', 'connect']);
    const { out } = await claim(again);
    await again.transferOut(out, pattern(100), patient);
    assert.deepEqual(await within(bench.take(100), 'bytes'), pattern(100));
  });

  given('reports nothing more once stopped', async (bench) => {
    const { reports, device, in: back } = await claimed(bench);
    const pending = failureOf(device.transferIn(back, 64, patient));
    await bench.usb.stop();
    assert.equal((await pending).fault, 'cancelled');
    await bench.unplug();
    assert.deepEqual(reports.all, ['connect']);
  });

  withPrinter('carries control requests both ways', async ({ bench, device }) => {
    const answer = Buffer.from(await device.controlIn(GET_DEVICE_ID, 1023, patient));
    assert.equal(answer.readUInt16BE(0), answer.length);
    assert.equal(answer.toString('latin1', 2), bench.deviceId);
    await device.controlOut(SOFT_RESET, new Uint8Array(), patient);
  });

  withPrinter('says that a request was stalled, and carries the next one', async ({ device }) => {
    assert.equal((await failureOf(device.controlIn(VENDOR_REQUEST, 8, patient))).fault, 'stall');
    assert.ok((await device.controlIn(GET_DEVICE_ID, 1023, patient)).length > 2);
  });

  withPrinter('delivers every byte of a job larger than the printer holds', async ({ bench, device, out }) => {
    const job = pattern(MORE_THAN_IT_HOLDS);
    const [taken] = await Promise.all([within(bench.take(job.length), 'job'), device.transferOut(out, job, patient)]);
    assert.ok(Buffer.from(taken).equals(job));
  });

  withPrinter('lets transfers on one pipe leave in the order they were asked for', async ({ bench, device, out }) => {
    const jobs = [pattern(30_001, 1), pattern(7, 2), pattern(20_001, 3)];
    const sent = Promise.all(jobs.map((job) => device.transferOut(out, job, patient)));
    const taken = await within(bench.take(50_009), 'jobs');
    await sent;
    assert.ok(Buffer.from(taken).equals(Buffer.concat(jobs)));
  });

  withPrinter('hands over what the printer says, one message at a time', async ({ bench, device, in: back }) => {
    const first = device.transferIn(back, 512, patient);
    await bench.answer(Uint8Array.of(0x12));
    assert.deepEqual(Uint8Array.from(await first), Uint8Array.of(0x12));
    await bench.answer(Uint8Array.of(0x16, 0x10));
    assert.deepEqual(Uint8Array.from(await device.transferIn(back, 512, patient)), Uint8Array.of(0x16, 0x10));
  });

  withPrinter(
    'carries a question and its answer while another read is pending',
    async ({ bench, device, ...pipes }) => {
      const answer = device.transferIn(pipes.in, 64, patient);
      await device.transferOut(pipes.out, Uint8Array.of(0x10, 0x04, 0x01), patient);
      assert.deepEqual(await within(bench.take(3), 'DLE EOT'), Uint8Array.of(0x10, 0x04, 0x01));
      await bench.answer(Uint8Array.of(0x12));
      assert.deepEqual(Uint8Array.from(await answer), Uint8Array.of(0x12));
    },
  );

  withPrinter('ends a write by its deadline and says exactly how much went out', async ({ bench, device, out }) => {
    const job = pattern(MORE_THAN_IT_HOLDS);
    const first = await failureOf(device.transferOut(out, job, { timeoutMs: 300 }));
    assert.equal(first.fault, 'timeout');
    const full = await failureOf(device.transferOut(out, job, { timeoutMs: 100 }));
    assert.deepEqual([full.fault, full.bytesTransferred], ['timeout', 0]);
    const held = await within(bench.takeAll(), 'what the printer holds');
    assert.equal(first.bytesTransferred, held.length);
    assert.ok(Buffer.from(held).equals(job.subarray(0, held.length)));
    await device.transferOut(out, pattern(100), patient);
    assert.deepEqual(await within(bench.take(100), 'the next job'), pattern(100));
  });

  withPrinter(
    'ends a read by its deadline, and loses nothing that comes later',
    async ({ bench, device, ...pipes }) => {
      const error = await failureOf(device.transferIn(pipes.in, 64, { timeoutMs: 50 }));
      assert.deepEqual([error.fault, error.bytesTransferred], ['timeout', 0]);
      await bench.answer(Uint8Array.of(0x14));
      assert.deepEqual(Uint8Array.from(await device.transferIn(pipes.in, 64, patient)), Uint8Array.of(0x14));
    },
  );

  withPrinter('ends a write by its signal and says exactly how much went out', async ({ bench, device, out }) => {
    const job = pattern(MORE_THAN_IT_HOLDS);
    const abort = new AbortController();
    const write = failureOf(device.transferOut(out, job, { ...patient, signal: abort.signal }));
    const head = await within(bench.take(20_000), 'the first bytes');
    abort.abort();
    const error = await write;
    assert.equal(error.fault, 'cancelled');
    const taken = Buffer.concat([head, await within(bench.takeAll(), 'what the printer holds')]);
    assert.equal(error.bytesTransferred, taken.length);
    assert.ok(taken.equals(job.subarray(0, taken.length)));
  });

  withPrinter('ends a read by its signal', async ({ device, in: back }) => {
    const abort = new AbortController();
    const read = failureOf(device.transferIn(back, 64, { ...patient, signal: abort.signal }));
    abort.abort();
    assert.equal((await read).fault, 'cancelled');
  });

  withPrinter('sends nothing when the signal has come already', async ({ bench, device, out }) => {
    const error = await failureOf(device.transferOut(out, pattern(10), { ...patient, signal: AbortSignal.abort() }));
    assert.deepEqual([error.fault, error.bytesTransferred], ['cancelled', 0]);
    assert.equal((await bench.takeAll()).length, 0);
  });

  withPrinter('ends what is pending, and every later call, when the printer is unplugged', async (session) => {
    const { bench, reports, device, out } = session;
    const read = failureOf(device.transferIn(session.in, 64, patient));
    const write = failureOf(device.transferOut(out, pattern(MORE_THAN_IT_HOLDS), patient));
    await within(bench.take(1000), 'the first bytes');
    await bench.unplug();
    const [unread, unwritten] = await Promise.all([read, write]);
    assert.deepEqual([unread.fault, unread.bytesTransferred], ['disconnected', 0]);
    assert.equal(unwritten.fault, 'disconnected');
    assert.ok(unwritten.bytesTransferred >= 1000 && unwritten.bytesTransferred < MORE_THAN_IT_HOLDS);
    await reports.next('disconnect');
    const later = [
      () => device.open(),
      () => device.claim(0),
      () => device.controlIn(GET_DEVICE_ID, 1023, patient),
      () => device.transferIn(session.in, 64, patient),
      () => device.transferOut(out, pattern(1), patient),
    ];
    for (const call of later) assert.equal((await failureOf(call())).fault, 'disconnected');
    await device.close();
    await device.close();
  });

  withPrinter('ends what is pending when it is closed, and can be opened again', async (session) => {
    const { bench, device } = session;
    const read = failureOf(device.transferIn(session.in, 64, patient));
    await device.close();
    await device.close();
    assert.equal((await read).fault, 'cancelled');
    assert.equal((await failureOf(device.transferOut(session.out, pattern(1), patient))).fault, 'io');
    const { out } = await claim(device);
    await device.transferOut(out, pattern(100), patient);
    assert.deepEqual(await within(bench.take(100), 'bytes'), pattern(100));
  });

  withPrinter('refuses an interface the printer has not, and pipes that are not claimed', async ({ device, out }) => {
    assert.equal((await failureOf(device.claim(7))).fault, 'io');
    await device.close();
    await device.open();
    const error = await failureOf(device.transferOut(out, pattern(1), patient));
    assert.deepEqual([error.fault, error.bytesTransferred], ['io', 0]);
  });
}
