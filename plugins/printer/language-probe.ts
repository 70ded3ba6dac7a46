/** Asks a printer that says nothing of its language whether it answers as ESC/POS printers do. */
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/usb.ts';
import { answered } from '../../runtime/bindings/usb-transfers.ts';

/** DLE EOT 1, transmit real-time status: nothing of it prints in another language (Epson ESC/POS, DLE EOT). */
const STATUS_REQUEST = Uint8Array.of(0x10, 0x04, 0x01);
/** Bits 0, 1, 4 and 7 of the answer are fixed. In a status that a Star printer sends by itself bit 4 is 0. */
const FIXED_BITS = 0x93;
const FIXED = 0x12;
const ANSWER_MS = 1000;

/**
 * True where the answer to a real-time status request is that of ESC/POS. False where there is none. The interface is
 * claimed. Rejects with a UsbError of any other kind than a stall or a timeout.
 */
export async function answersAsEscpos(device: UsbDevice, pipes: readonly UsbPipe[]): Promise<boolean> {
  const bulk = pipes.filter(({ type }) => type === 'bulk');
  const out = bulk.find(({ direction }) => direction === 'out');
  const back = bulk.find(({ direction }) => direction === 'in');
  if (out === undefined || back === undefined) return false;
  const sent = await answered(device.transferOut(out, STATUS_REQUEST, { timeoutMs: ANSWER_MS }).then(() => true));
  if (sent === undefined) return false;
  const answer = await answered(device.transferIn(back, back.maxPacketSize, { timeoutMs: ANSWER_MS }));
  return answer?.length === 1 && ((answer[0] ?? 0) & FIXED_BITS) === FIXED;
}
