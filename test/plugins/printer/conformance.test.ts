import printer from '../../../plugins/printer/index.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { conforms } from '../../conformance.ts';
import { stories } from './stories.ts';

conforms('the printer room', { plugin: printer, endpoint: 'receipt', device: () => new VirtualPrinter() }, stories);
