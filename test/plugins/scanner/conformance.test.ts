import scanner from '../../../plugins/scanner/index.ts';
import { createVirtualDevice as pos } from '../../../plugins/scanner/virtual.ts';
import { createVirtualDevice as serial } from '../../../plugins/scanner/virtual-serial.ts';
import { createVirtualDevice as wedge } from '../../../plugins/scanner/virtual-wedge.ts';
import { conforms } from '../../conformance.ts';
import { stories } from './stories.ts';

const room = { plugin: scanner, endpoint: 'scanner' };
conforms('the scanner room with a HID POS scanner', { ...room, device: pos }, stories);
conforms('the scanner room with a scanner that types', { ...room, device: wedge });
conforms('the scanner room with a scanner on a serial line', { ...room, device: serial });
