/**
 * The stories that recordings tell, and how each is made: a node with its rooms, a virtual device plugged into it while
 * the diagnostic ring records. `make.ts` writes them; the tests play them again.
 */
import printer from '../../plugins/printer/index.ts';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import scale from '../../plugins/scale/index.ts';
import { VirtualScale } from '../../plugins/scale/virtual.ts';
import scanner from '../../plugins/scanner/index.ts';
import { VirtualPosScanner } from '../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../plugins/scanner/virtual-wedge.ts';
import type { Story, TestNode } from '../../runtime/conformance/index.ts';

/** By endpoint, the room that a story is told to. */
export const ROOMS = { receipt: printer, scanner, scale } as const;

const print = (node: TestNode, lines: readonly object[]) =>
  fetch(`${node.url}/print`, {
    method: 'POST',
    body: JSON.stringify({ type: 'print', id: 'receipt-1', endpoint: 'receipt', lines }),
  });

export const stories: readonly (Story & { readonly endpoint: keyof typeof ROOMS })[] = [
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
    ready: { type: 'printer_status', known: true },
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
