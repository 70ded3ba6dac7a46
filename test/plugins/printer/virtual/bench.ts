import { VirtualPrinter, type VirtualPrinterOptions } from '../../../../plugins/printer/virtual/device.ts';
import { IN, LATER, OUT, plugged, SOON } from '../../../bindings/virtual-plugged.ts';

export type Part = string | number | Uint8Array | readonly number[];

/** Bytes from text (one byte a character) and numbers. */
export const bytes = (...parts: Part[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string'
        ? Buffer.from(part, 'latin1')
        : Uint8Array.from(typeof part === 'number' ? [part] : part),
    ),
  );

/** A printer on a bus, opened by a host that writes bytes and reads answers. */
export const printerOnBus = async (options: VirtualPrinterOptions = {}) => {
  const printer = new VirtualPrinter(options);
  const { usb, host } = await plugged(printer);
  const write = (...parts: Part[]): Promise<void> => host.transferOut(OUT, bytes(...parts), LATER);
  const read = async (): Promise<number[]> => [...(await host.transferIn(IN, 512, SOON))];
  const ask = async (...parts: Part[]): Promise<number[]> => {
    await write(...parts);
    return read();
  };
  return { printer, usb, host, write, read, ask };
};

/** GS v 0: rows of `rowBytes` bytes. */
export const raster = (rowBytes: number, data: Uint8Array): Uint8Array =>
  bytes([0x1d, 0x76, 0x30, 0, rowBytes, 0, data.length / rowBytes, 0], data);

export const ESC_P = bytes([0x1b, 0x70, 0x00, 0x19, 0xfa]);
export const DLE_DC4 = bytes([0x10, 0x14, 0x01, 0x00, 0x01]);
export const REALTIME_PULSE_OFF = bytes([0x1d, 0x28, 0x44, 3, 0, 20, 1, 0]);

/** What a printer's paper shows after these bytes, as text and as a picture. */
export const printed = async (...parts: Part[]): Promise<string> => {
  const { printer, write } = await printerOnBus();
  await write(...parts);
  return printer.paperText();
};
export const pictured = async (...parts: Part[]): Promise<string> => {
  const { printer, write } = await printerOnBus();
  await write(...parts);
  return printer.paperSvg();
};
