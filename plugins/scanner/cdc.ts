/** Scanners with a USB serial line (CDC-ACM): bytes on a bulk pipe. */
import { DEFAULT_BAUD_RATE, type SerialOptions } from '../../codecs/serial-lines.ts';
import { acmInterfaces, openAcmLine } from '../../runtime/bindings/serial/acm.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { ScannerSettings } from './contract.ts';
import { type ReadSink, Scanner } from './scanner.ts';
import { SerialReader } from './serial-reader.ts';

/** Binds a serial scanner that a recipe row names: descriptors do not show what is on a serial line. */
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
  // One packet a transfer: a longer transfer would wait for more bytes after a read that fills its last packet.
  return new Scanner({ device, recipe, pipe: acm.in, reportBytes: acm.in.maxPacketSize, reader });
}
