/** Transfers that all rooms need: reading an IN pipe continuously, and requests that a device may stall. */
import { setTimeout as delay } from 'node:timers/promises';
import { type UsbDevice, UsbError, type UsbPipe } from './usb.ts';

/** Time limit of one read, after which it is repeated: most devices send nothing for most of the day. */
const READ_MS = 60_000;
/** Pause before the next read after a stall or an I/O fault. */
const FAULT_PAUSE_MS = 1000;

/** A pipe that is read continuously. */
export interface PipeReading {
  /** Ends reading; resolves when no transfer is pending. `take` is not called any more. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Keeps one IN transfer pending on `pipe` and passes the data of each to `take`, until `stop` is called or the device is
 * disconnected. After a stall or an I/O fault it tries again one second later.
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

/**
 * Resolves as `request` does, or with undefined if it fails with a stall or a timeout. Rejects with any other fault.
 */
export async function answered<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof UsbError && (error.fault === 'stall' || error.fault === 'timeout')) return undefined;
    throw error;
  }
}
