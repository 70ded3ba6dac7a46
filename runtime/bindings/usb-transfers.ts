/** What every room does with transfers: wait for what a device says, and ask what it may refuse. */
import { setTimeout as delay } from 'node:timers/promises';
import { type UsbDevice, UsbError, type UsbPipe } from './bindings.ts';

/** A read that nothing answers is renewed this often: most devices are quiet most of the day. */
const READ_MS = 60_000;
/** Between two tries on a pipe that stalls. */
const FAULT_PAUSE_MS = 1000;

/** A pipe that is being read. */
export interface PipeReading {
  /** Ends it. Resolves once no transfer is pending; nothing is taken after the call. Harmless twice. */
  stop(): Promise<void>;
}

/**
 * Keeps one IN transfer pending on `pipe` and gives what each brings to `take`, until `stop` or until the device is
 * unplugged. A stall or an I/O fault is tried again after a second.
 *
 * `longest`: bytes of the longest report or transfer of the device. The read is as many whole packets as hold it: it ends
 * with a short packet or where it is full (USB 2.0, 5.7.3 and 5.8.3), and a packet that does not fit is an overflow.
 */
export function readPipe(
  device: UsbDevice,
  pipe: UsbPipe,
  longest: number,
  take: (bytes: Uint8Array) => void,
): PipeReading {
  const stopping = new AbortController();
  const { signal } = stopping;
  const packet = Math.max(1, pipe.maxPacketSize);
  const length = packet * Math.max(1, Math.ceil(longest / packet));
  const running = read();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };

  async function read(): Promise<void> {
    while (!signal.aborted) {
      try {
        const bytes = await device.transferIn(pipe, length, { timeoutMs: READ_MS, signal });
        if (!signal.aborted) take(bytes);
      } catch (error) {
        const fault = error instanceof UsbError ? error.fault : 'io';
        if (fault === 'disconnected' || fault === 'cancelled') return;
        if (fault !== 'timeout') await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}

/** What `request` resolves with; undefined where the device stalls it or does not answer. Any other fault is thrown. */
export async function answered<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof UsbError && (error.fault === 'stall' || error.fault === 'timeout')) return undefined;
    throw error;
  }
}
