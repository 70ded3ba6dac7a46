/** Scanners that are a modem to USB (CDC-ACM): bytes on a bulk pipe. */
import { DEFAULT_BAUD_RATE, type SerialOptions } from '../../codecs/serial-lines.ts';
import { acmInterfaces, openAcmLine } from '../../runtime/bindings/usb-acm.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import type { ScannerSettings } from './contract.ts';
import { type ReadSink, Scanner } from './scanner.ts';
import { SerialReader } from './serial-reader.ts';

/** Drives a scanner whose row says that it is one: a modem could be anything. */
export async function bindSerial(
  { device }: Candidate,
  recipe: Resolution,
  settings: () => ScannerSettings,
  sink: ReadSink,
): Promise<Scanner | Refusal> {
  const acm = acmInterfaces(device.identity);
  if (acm === undefined) return { reason: 'bad_descriptor', detail: 'no CDC-ACM interface with a bulk IN pipe' };
  const { baudRate = DEFAULT_BAUD_RATE }: SerialOptions = recipe.row.options;
  await device.open();
  try {
    await openAcmLine(device, acm, baudRate);
  } catch (error) {
    await device.close();
    throw error;
  }
  const reader = new SerialReader(() => settings().interKeyTimeoutMs, sink);
  // One packet at a time: a read that fills its packets may be followed by none to end a longer transfer.
  return new Scanner({ device, recipe, pipe: acm.in, reportBytes: acm.in.maxPacketSize, reader });
}
