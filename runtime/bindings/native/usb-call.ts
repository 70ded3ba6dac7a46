/** Deadline and cancellation of one USB call. */
import { type TransferOptions, UsbError, type UsbFault } from '../usb.ts';

/**
 * One pending call and what may end it early: its deadline, its signal, or the disconnect of the device. The first
 * cause determines the fault. The timeouts of libusb are not used: the copy in the addon is built without timerfd on
 * Linux and checks them only once a minute.
 */
export class UsbCall {
  #fault: UsbFault | undefined;
  /** Called when the call ends early: rejects it while it waits in the queue, else cancels its transfer. */
  onEnd: (fault: UsbFault) => void = () => {};
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #cancel = (): void => this.end('cancelled');

  /** Throws a UsbError `cancelled` if the signal is aborted already. */
  constructor({ timeoutMs, signal }: TransferOptions) {
    if (signal?.aborted) throw new UsbError('cancelled');
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Why it ended early; undefined if it did not. */
  get fault(): UsbFault | undefined {
    return this.#fault;
  }

  /** Ends it early; only the first call has an effect. */
  end(fault: UsbFault): void {
    if (this.#fault) return;
    this.#fault = fault;
    this.onEnd(fault);
  }

  /** Releases timer and signal; to call in every case. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#cancel);
  }
}
