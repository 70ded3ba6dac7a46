import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { livesHard } from '../../fuzz/device-life.ts';

livesHard('a scanner that types', { endpoint: 'scanner', create: () => new VirtualWedgeScanner() });
livesHard('a HID POS scanner', {
  endpoint: 'scanner',
  create: () => new VirtualPosScanner({ vendorId: 0x1234, productId: 1 }),
  probed: true,
});
