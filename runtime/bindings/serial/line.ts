/**
 * Serial lines behind USB adapters, claimed by the node itself: bytes out, bytes in, on whatever chip there is. The kernel's
 * drivers are let go as long as a line is open.
 */
import type { LineSettings } from '../../../codecs/serial-line.ts';
import type { UsbDevice, UsbIdentity } from '../usb.ts';
import { type PipeReading, readPipe } from '../usb-transfers.ts';
import { acm } from './acm.ts';
import type { Adapter, AdapterPipes, LineBytes } from './adapter.ts';
import { ch340 } from './ch340.ts';
import { cp210x } from './cp210x.ts';
import { ftdi } from './ftdi.ts';
import { pl2303 } from './pl2303.ts';

const ADAPTERS: readonly Adapter[] = [acm, ftdi, cp210x, ch340, pl2303];
/** At 300 bits a second two rows of a display take almost as long. */
const WRITE_MS = 2000;

function found(identity: UsbIdentity): { readonly adapter: Adapter; readonly pipes: AdapterPipes } | undefined {
  for (const adapter of ADAPTERS) {
    const pipes = adapter.pipes(identity);
    if (pipes !== undefined) return { adapter, pipes };
  }
  return undefined;
}

/** The kind of serial adapter that a device is, by its descriptors: what hangs on its line they do not say. */
export const serialAdapter = (identity: UsbIdentity): string | undefined => found(identity)?.adapter.name;

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data, 'latin1') : data;

/** An open line. */
export interface SerialLine {
  /** Text of one byte a character, or bytes. Rejects with a UsbError; with `timeout` where they are not taken within 2 s. */
  write(data: string | Uint8Array): Promise<void>;
  /** Passes what arrives to `take` until it is stopped or the adapter is disconnected. */
  read(take: (arrived: LineBytes) => void): PipeReading;
  /** Closes the device. */
  close(): Promise<void>;
}

/**
 * Opens a device that is a serial adapter and sets its line. `last`: the character that ends a message, for chips that gather
 * bytes before they send them. Undefined where it is no adapter. Rejects with a UsbError.
 */
export async function openSerialLine(
  device: UsbDevice,
  settings: LineSettings,
  last?: string,
): Promise<SerialLine | undefined> {
  const { adapter, pipes } = found(device.identity) ?? {};
  if (adapter === undefined || pipes === undefined) return undefined;
  await device.open();
  try {
    for (const number of pipes.interfaces) await device.claim(number);
    await adapter.set(device, pipes, settings, last);
  } catch (error) {
    await device.close();
    throw error;
  }
  return {
    write: (data) => device.transferOut(pipes.out, bytesOf(data), { timeoutMs: WRITE_MS }),
    // One packet a transfer: a longer one would wait for more, and FTDI's have their status in front.
    read: (take) =>
      readPipe(device, pipes.in, pipes.in.maxPacketSize, (packet) =>
        take(adapter.unpack?.(packet) ?? { bytes: packet, broken: false }),
      ),
    close: () => device.close(),
  };
}
