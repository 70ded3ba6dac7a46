/** A bound printer by itself: what its row's options make of it where no node is around. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../codecs/escpos.ts';
import { PrinterMemory } from '../../../../plugins/printer/jobs/memory.ts';
import { Printer } from '../../../../plugins/printer/jobs/printer.ts';
import type { UsbSetup } from '../../../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../../../runtime/bindings/virtual/device.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { plugIn } from '../on-the-bus.ts';

/** A composite device whose third interface is a printer's; it takes everything and says nothing. */
class Composite extends VirtualDevice {
  readonly requests: UsbSetup[] = [];
  constructor() {
    const bulk = (address: number) => ({ address, type: 'bulk', maxPacketSize: 64 }) as const;
    const [number, pipes] = [2, [bulk(0x01), bulk(0x82)]];
    super({ vendorId: 1, productId: 2, interfaces: [{ class: 7, subclass: 1, protocol: 2, number, pipes }] });
  }
  protected control(setup: UsbSetup): Uint8Array {
    this.requests.push(setup);
    return new Uint8Array(0);
  }
  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }
}

let printer: Printer;
afterEach(() => printer.release());

async function start(options: Partial<EscposOptions>): Promise<Composite> {
  const composite = new Composite();
  const { device, interface: number, out, in: back } = await plugIn(composite);
  const node = await startTestNode({ plugins: [], recipes: [] });
  onTestFinished(() => node.stop());
  const row = { id: 'x', vendorId: '0001', productId: '0002', make: 'A', model: 'B', kind: 'printer', options: {} };
  printer = new Printer({
    ...{ device, interface: number, out, in: back, recipe: { row, tier: 'derived' }, languages: [] },
    options: resolveOptions(options),
    pace: () => ({ chunkBytes: 4096, chunkDelayMs: 0, writeTimeoutMs: 1000 }),
    memory: new PrinterMemory(node.kernel),
    askPort: undefined,
    onChange: () => {},
    onRelease: () => {},
  });
  return composite;
}

describe('a printer with softReset', () => {
  it('has the request sent to its own interface', async () => {
    const { requests } = await start({ softReset: true });
    await printer.reset();
    expect(requests).toEqual([expect.objectContaining({ requestType: 0x21, request: 2, index: 2 })]);
  });

  it('alone has it sent', async () => {
    const { requests } = await start({ softReset: false });
    await printer.reset();
    expect(requests).toEqual([]);
  });
});

describe('a printer with an end-of-print echo', () => {
  it('is asked under four digits, beyond the 9,999th receipt too', async () => {
    await start({ endOfPrint: true });
    const ask = () => {
      const { request, echo } = printer.endOfPrint() ?? { request: new Uint8Array(0), echo: undefined };
      echo?.forget();
      return Buffer.from(request.subarray(-4)).toString();
    };
    const ids = Array.from({ length: 10_001 }, ask);
    expect(ids.slice(0, 2)).toEqual(['0001', '0002']);
    expect(ids.slice(9998)).toEqual(['9999', '0000', '0001']);
  });
});

describe('a printer with delayClose', () => {
  it.each([
    [true, 'time'],
    [false, 'closed'],
  ])('(%s) is left its time after the last job: %s', async (delayClose, expected) => {
    await start({ delayClose });
    const time = delay(600).then(() => 'time');
    expect(await Promise.race([time, printer.drained(0).then(() => 'closed')])).toBe(expected);
  });
});
