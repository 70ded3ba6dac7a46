/**
 * The stories that recordings tell, and how each is made: a node with its rooms, a virtual device plugged into it while
 * the diagnostic ring records. `make.ts` writes them; the tests play them again.
 */
import { Buffer } from 'node:buffer';
import { VirtualPrinter } from '../../plugins/printer/virtual.ts';
import { VirtualScale } from '../../plugins/scale/virtual.ts';
import { VirtualPosScanner } from '../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../plugins/scanner/virtual-wedge.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import type { NodeEvent } from '../../runtime/kernel/hooks.ts';
import { startTestNode, type TestNode } from '../../runtime/testing.ts';
import { until } from '../node.ts';
import { wifiPlugins } from '../plugins.ts';

export interface Story {
  /** `<make-model>/<story>.ndjson` beside this file. */
  readonly path: string;
  readonly endpoint: string;
  /** The device, and what it does of itself once it is bound. */
  device(): { readonly device: VirtualDevice; act?(): void };
  /** What the node is asked to do. */
  ask?(node: TestNode): Promise<unknown>;
  /** The event that ends the story. */
  readonly ends: Readonly<Record<string, unknown>>;
}

const print = (node: TestNode, lines: readonly object[]) =>
  fetch(`${node.url}/print`, {
    method: 'POST',
    body: JSON.stringify({ type: 'print', id: 'receipt-1', endpoint: 'receipt', lines }),
  });

export const stories: readonly Story[] = [
  {
    path: 'epson-tm-t20iii/receipt.ndjson',
    endpoint: 'receipt',
    device: () => ({ device: new VirtualPrinter() }),
    ask: (node) =>
      print(node, [
        { type: 'text', value: 'Café 2,50 €', bold: true },
        { type: 'barcode', symbology: 'ean13', value: '4006381333931' },
        { type: 'cut' },
      ]),
    ends: { type: 'command_result', ok: true, commandId: 'receipt-1' },
  },
  {
    path: 'symbol-keyboard/ean13.ndjson',
    endpoint: 'scanner',
    device: () => {
      const device = new VirtualWedgeScanner();
      return { device, act: () => device.scan('4006381333931') };
    },
    ends: { type: 'scan_read', value: '4006381333931' },
  },
  {
    path: 'honeywell-hid-pos/upca.ndjson',
    endpoint: 'scanner',
    device: () => {
      const device = new VirtualPosScanner({ vendorId: 0x0c2e, productId: 0x0b87, make: 'Honeywell', asleep: true });
      return { device, act: () => device.scan('036000291452', 'upca') };
    },
    ends: { type: 'scan_read', value: '036000291452' },
  },
  {
    path: 'dymo-m10/20-grams.ndjson',
    endpoint: 'scale',
    device: () => {
      const device = new VirtualScale({ reportMs: 0 });
      return { device, act: () => device.set({ grams: 20 }) };
    },
    ends: { type: 'scale_weight_changed', weight: 20, unit: 'g', stable: true },
  },
];

export interface Stage {
  readonly node: TestNode;
  /** Plugs the device in and waits until its endpoint is bound. */
  plug(device: VirtualDevice, endpoint: string): Promise<void>;
  /** Resolves once an event had all these fields. */
  saw(fields: Readonly<Record<string, unknown>>): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const node = await startTestNode({ plugins: wifiPlugins });
  const events: NodeEvent[] = [];
  node.kernel.hooks.event.tap('stage', (event) => void events.push(event));
  const has = (event: NodeEvent, fields: Readonly<Record<string, unknown>>) =>
    Object.entries(fields).every(([name, value]) => event[name] === value);
  const isReady = (endpoint: string) =>
    endpoint === 'receipt'
      ? events.some((event) => has(event, { type: 'printer_status', known: true }))
      : node.kernel.hotplug.state(endpoint)?.condition === 'bound';
  return {
    node,
    plug: (device, endpoint) => {
      node.bench.usb.plug(device);
      return until(() => isReady(endpoint));
    },
    saw: (fields) => until(() => events.some((event) => has(event, fields))),
  };
}

/** Records a story: the text of its file, which begins with how it was made. */
export async function record({ path, endpoint, device: make, ask, ends }: Story): Promise<string> {
  const { node, plug, saw } = await startStage();
  try {
    await fetch(`${node.url}/config`, { method: 'PUT', body: '{"capture":true}' });
    const { device, act } = make();
    await plug(device, endpoint);
    act?.();
    await ask?.(node);
    await saw(ends);
    const text = `${path}: made by driving this project's virtual device, not a capture of a real one`;
    const origin = { seq: 0, tMs: 0, channel: 'mark', direction: 'mark', text, length: 0, data: '' };
    const held = Buffer.from(await (await fetch(`${node.url}/capture`)).arrayBuffer()).toString();
    return `${JSON.stringify(origin)}\n${held}`;
  } finally {
    await node.stop();
  }
}
