/** The error of every write to a printer. */
import type { UsbFault } from '../../../runtime/bindings/usb.ts';

/**
 * A write failed. `written`: bytes of this write that the printer took, exactly; with a `cause` (a fault of the node
 * itself), at least so many. `fault` is that of the USB transfer, or `busy` where the job never got its turn.
 */
export class WriteFailed extends Error {
  readonly fault: UsbFault | 'busy';
  readonly written: number;
  /** False of what still waited when the printer was let go of. */
  readonly began: boolean;
  constructor(fault: UsbFault | 'busy', written: number, cause?: unknown, began = fault !== 'busy') {
    super(`${fault} after ${written} bytes`, { cause });
    this.name = 'WriteFailed';
    this.fault = fault;
    this.written = written;
    this.began = began;
  }

  /** The same, of a write that so many bytes of the same job came before. */
  after(bytes: number): WriteFailed {
    return new WriteFailed(this.fault, bytes + this.written, this.cause);
  }
}

/** The error of what waits for a printer that is gone. */
export const goneBefore = (): WriteFailed => new WriteFailed('disconnected', 0, undefined, false);

/** Passes over a failed write; throws anything else again. */
export const onlyWriteFailed = (error: unknown): void => {
  if (!(error instanceof WriteFailed)) throw error;
};
