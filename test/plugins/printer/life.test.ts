import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { livesHard } from '../../fuzz/device-life.ts';

livesHard('a printer', { endpoint: 'receipt', create: () => new VirtualPrinter() });
