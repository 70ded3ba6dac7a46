/** How a serial line is set, and what its bits mean for the bytes that arrive. */

/** Line coding (USB PSTN Subclass 1.2, 6.3.11): bits a second, data bits, parity, stop bits. */
export interface LineSettings {
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly parity: 'none' | 'even' | 'odd';
  readonly stopBits: 1 | 2;
}

/** 9600 8N1, as most devices leave the factory. */
export const EIGHT_NONE: LineSettings = { baudRate: 9600, dataBits: 8, parity: 'none', stopBits: 1 };

/** 9600 7E1, as most scales for tills do. */
export const SEVEN_EVEN: LineSettings = { baudRate: 9600, dataBits: 7, parity: 'even', stopBits: 1 };

/**
 * Bytes as text of seven bits. The eighth bit is dropped: it is the parity of a line of seven bits that is read with eight,
 * where CR is 8D half of the time.
 */
export function sevenBits(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.map((byte) => byte & 0x7f));
}
