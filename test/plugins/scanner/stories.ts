/** What the recordings of the scanner tell, and how each is made. */
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import type { Story } from '../../../runtime/conformance/index.ts';

export const stories: readonly Story[] = [
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
];
