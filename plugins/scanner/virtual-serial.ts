/** A scanner on the virtual bus that is a modem to it (CDC-ACM). */
import type { Symbology } from '../../codecs/symbology.ts';
import { VirtualAcmDevice } from '../../runtime/bindings/virtual/acm-device.ts';
import { AIM } from './virtual-aim.ts';

export interface VirtualSerialOptions {
  readonly terminator?: string;
  readonly maxPacketSize?: number;
  /** Stalls the requests of the modem: a device that has no line. */
  readonly hasNoLine?: boolean;
}

export class VirtualSerialScanner extends VirtualAcmDevice {
  readonly #terminator: string;

  constructor({ terminator = '\r\n', ...line }: VirtualSerialOptions = {}) {
    super({ vendorId: 0x1eab, productId: 0x1306, make: 'Newland', model: 'HR3260', ...line });
    this.#terminator = terminator;
  }

  scan(value: string, symbology?: Symbology): void {
    this.write(`${symbology === undefined ? '' : AIM[symbology]}${value}${this.#terminator}`);
  }
}

export const createVirtualDevice = (): VirtualSerialScanner => new VirtualSerialScanner();
