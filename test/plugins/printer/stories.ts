/** What the recordings of the printer tell, and how each is made. */
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import type { Story } from '../../../runtime/conformance/index.ts';

export const stories: readonly Story[] = [
  {
    path: 'epson-tm-t20iii/receipt.ndjson',
    endpoint: 'receipt',
    device: () => ({ device: new VirtualPrinter() }),
    ask: ({ url }) =>
      fetch(`${url}/print`, {
        method: 'POST',
        body: JSON.stringify({
          ...{ type: 'print', id: 'receipt-1', endpoint: 'receipt' },
          lines: [
            { type: 'text', value: 'Café 2,50 €', bold: true },
            { type: 'barcode', symbology: 'ean13', value: '4006381333931' },
            { type: 'cut' },
          ],
        }),
      }),
    ready: { type: 'printer_status', known: true },
    ends: { type: 'command_result', ok: true, commandId: 'receipt-1' },
  },
];
