/** A fault of the node itself: `internal` where nothing has left for the printer, else `write_failed` (specification 7). */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Job } from '../../../../plugins/printer/jobs/job.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import type { UsbBinding, UsbDevice, UsbListener } from '../../../../runtime/bindings/usb.ts';
import type { Logger } from '../../../../runtime/kernel/log.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { until } from '../../../node.ts';
import { wifiPlugins } from '../../../plugins.ts';

const CHUNK = 64;
const LINES = [{ type: 'text', value: 'x'.repeat(40 * CHUNK) }];

/** Devices of that bus whose transfers may throw what no transfer throws. */
function breaking(usb: UsbBinding) {
  const fault: { throwAfter: number | undefined; left: number } = { throwAfter: undefined, left: 0 };
  const wrapped = new Map<UsbDevice, UsbDevice>();
  const wrap = (device: UsbDevice): UsbDevice =>
    Object.assign(Object.create(device) as UsbDevice, {
      identity: device.identity,
      ...Object.fromEntries(
        (['open', 'claim', 'controlIn', 'controlOut', 'transferIn', 'close'] as const).map((name) => [
          name,
          (device[name] as (...args: unknown[]) => unknown).bind(device),
        ]),
      ),
      async transferOut(...[pipe, data, options]: Parameters<UsbDevice['transferOut']>) {
        if (fault.throwAfter !== undefined && fault.left >= fault.throwAfter) throw new TypeError('kaput');
        await device.transferOut(pipe, data, options);
        if (fault.throwAfter !== undefined) fault.left += data.length;
      },
    });
  const listenTo = (listener: UsbListener): UsbListener => ({
    connect(device) {
      wrapped.set(device, wrap(device));
      listener.connect(wrapped.get(device) ?? device);
    },
    disconnect: (device) => listener.disconnect(wrapped.get(device) ?? device),
  });
  const binding: UsbBinding = {
    state: 'ok',
    start: (listener) => usb.start(listenTo(listener)),
    stop: () => usb.stop(),
  };
  return { binding, fault };
}

async function start() {
  const printer = new VirtualPrinter();
  const errors: string[] = [];
  const log: Logger = { debug() {}, info() {}, warn() {}, error: (fields) => void errors.push(JSON.stringify(fields)) };
  const bus: { broken?: ReturnType<typeof breaking> } = {};
  const node = await startTestNode({
    plugins: wifiPlugins,
    devices: { printer: () => printer },
    log,
    bindings: ({ usb }) => {
      bus.broken = breaking(usb);
      return { usb: bus.broken.binding };
    },
  });
  onTestFinished(() => node.stop());
  await until(() => (node.kernel.status()['printers'] as [{ known: boolean }])[0].known);
  await node.kernel.config.patch({ usb: { chunkBytes: CHUNK } });
  const post = async (path: string, body: object) => {
    const response = await fetch(node.url + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  if (bus.broken === undefined) throw new Error('no bus');
  return { printer, errors, fault: bus.broken.fault, kernel: node.kernel, post };
}

const RAW = { type: 'raw', id: 'r', endpoint: 'receipt', data: Buffer.from('y'.repeat(1000)).toString('base64') };
const PRINT = { type: 'print', id: 'p', endpoint: 'receipt', lines: LINES };

describe('a fault of the node', () => {
  it.each([
    ['/print', PRINT],
    ['/raw', RAW],
  ])('in the middle of %s is write_failed, with what has left at least', async (path, command) => {
    const { fault, errors, post } = await start();
    fault.throwAfter = 5 * CHUNK;
    const { status, body } = await post(path, command);
    expect([status, body['error'], body['bytes']]).toEqual([409, 'write_failed', fault.left]);
    expect(body['detail']).toContain('at least');
    expect(errors.join()).toContain('kaput');
  });

  it('after the last byte is write_failed with all of them', async () => {
    const { post, errors } = await start();
    const { end } = Job.prototype;
    onTestFinished(() => void Object.assign(Job.prototype, { end }));
    Job.prototype.end = () => Promise.reject(new TypeError('kaput'));
    const { body } = await post('/raw', RAW);
    expect([body['error'], body['bytes']]).toEqual(['write_failed', 1000]);
    expect(errors.join()).toContain('kaput');
  });

  it('before the first byte is internal, and the paper is as it was', async () => {
    const { kernel, printer, post, errors } = await start();
    const before = printer.paperBytes().length;
    kernel.hooks.command
      .for('print')
      .tapPromise({ name: 'test', stage: -1 }, () => Promise.reject(new TypeError('kaput')));
    const { status, body } = await post('/print', PRINT);
    expect([status, body['error'], body['bytes']]).toEqual([500, 'internal', undefined]);
    expect([printer.paperBytes().length, errors.length]).toEqual([before, 1]);
  });
});
