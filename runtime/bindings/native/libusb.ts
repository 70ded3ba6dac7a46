/** libusb through the legacy API of the npm package `usb`: loads it on demand and translates its errors. */
import type { Device, usb } from 'usb';
import type { UsbFault, UsbPipe } from '../usb.ts';
import type { UsbCall } from './usb-call.ts';

/** The legacy API object of the npm package `usb`. */
export type Libusb = typeof usb;

/** Time for a cancelled transfer to complete: it takes milliseconds, unless the operating system never completes it. */
const CANCEL_PATIENCE_MS = 2000;
const TRANSFER_TYPES = { control: 0, isochronous: 1, bulk: 2, interrupt: 3 } as const;

let loading: Promise<Libusb> | undefined;
/** Loads libusb at the first call, so that no native code runs on a machine where no device is opened. */
export const loadLibusb = (): Promise<Libusb> => {
  loading ??= import('usb').then(({ usb }) => usb);
  return loading;
};

/**
 * Translates a libusb error; `io` if there is no better word. Errors of calls are negative, of transfers positive
 * (libusb.h).
 */
export function usbFaultOf(libusb: Libusb, error: Error): UsbFault {
  switch ('errno' in error ? error.errno : undefined) {
    case libusb.LIBUSB_ERROR_ACCESS:
      return 'access';
    case libusb.LIBUSB_ERROR_BUSY:
      return 'busy';
    case libusb.LIBUSB_ERROR_NO_DEVICE:
    case libusb.LIBUSB_TRANSFER_NO_DEVICE:
      return 'disconnected';
    case libusb.LIBUSB_ERROR_PIPE:
    case libusb.LIBUSB_TRANSFER_STALL:
      return 'stall';
    case libusb.LIBUSB_TRANSFER_CANCELLED:
      return 'cancelled';
    default:
      return 'io';
  }
}

/**
 * Submits one transfer and cancels it when its call ends. `actual` is the exact number of bytes transferred, also after
 * a cancel; if it could not be cancelled, the number is unknown and `actual` is all of them. Never rejects.
 */
export const submit = (
  libusb: Libusb,
  handle: Device,
  pipe: Pick<UsbPipe, 'address' | 'type'>,
  data: Uint8Array,
  call: UsbCall,
): Promise<{ readonly actual: number; readonly error?: Error | undefined }> =>
  new Promise((resolve) => {
    let giveUp: NodeJS.Timeout | undefined;
    const done = (error: Error | undefined, _buffer: Buffer | undefined, actual: number) => {
      clearTimeout(giveUp);
      call.onEnd = () => {};
      resolve({ actual, error });
    };
    const transfer = new libusb.Transfer(handle, pipe.address, TRANSFER_TYPES[pipe.type], 0, done);
    call.onEnd = () => {
      attempt(() => transfer.cancel());
      const stuck = new Error('the transfer could not be cancelled');
      giveUp = setTimeout(() => done(stuck, undefined, data.length), CANCEL_PATIENCE_MS);
    };
    try {
      transfer.submit(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    } catch (error) {
      done(error as Error, undefined, 0);
    }
  });

/** Waits for a call that completes through a callback. Resolves with its error, or undefined. */
export const completed = (start: (done: (error?: Error) => void) => void): Promise<Error | undefined> =>
  new Promise((resolve) => {
    try {
      start(resolve);
    } catch (error) {
      resolve(error as Error);
    }
  });

/** Runs a step and ignores its errors: no driver to detach, a disconnected device, a transfer that has ended. */
export const attempt = (step: () => void): void => {
  try {
    step();
  } catch {
    // If it matters, the next call fails.
  }
};
