import { VirtualSerialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import { holds } from '../hub/held.ts';

holds('a scanner on a serial line', () => new VirtualSerialScanner(), 2);
