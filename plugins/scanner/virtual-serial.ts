/** A scanner with a serial line (CDC-ACM) on the virtual bus. */
import type { Symbology } from '../../codecs/symbology.ts';
import { VirtualAcmDevice } from '../../runtime/bindings/virtual/acm-device.ts';
import { AIM } from './virtual-aim.ts';

export interface VirtualSerialOptions {
  readonly terminator?: string;
  readonly maxPacketSize?: number;
  /** Stalls the class requests of CDC-ACM, like a device without a serial line. */
  readonly hasNoLine?: boolean;
}

/** A scanner that sends each read as bytes with a terminator, CR LF by default. */
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

/** The serial scanner of the twin. */
export const createVirtualDevice = (): VirtualSerialScanner => new VirtualSerialScanner();
