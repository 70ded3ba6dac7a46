import { type TransferOptions, UsbError, type UsbFault } from '../bindings.ts';

/**
 * One call that waits for the bus, and what may end it early: its deadline, its signal, or the device's end. The first
 * cause names the fault. libusb's own deadlines are not used: built without timerfd, as the addon's copy is on Linux,
 * it looks at them once a minute.
 */
export class UsbCall {
  #fault: UsbFault | undefined;
  /** What ending it means at the moment: giving up a place in the queue, or cancelling a transfer. */
  onEnd: (fault: UsbFault) => void = () => {};
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #cancel = (): void => this.end('cancelled');

  constructor({ timeoutMs, signal }: TransferOptions) {
    if (signal?.aborted) throw new UsbError('cancelled');
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Why it ended, once it has. */
  get fault(): UsbFault | undefined {
    return this.#fault;
  }

  end(fault: UsbFault): void {
    if (this.#fault) return;
    this.#fault = fault;
    this.onEnd(fault);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#cancel);
  }
}
