/** Asks a printer that says nothing of its language whether it answers as ESC/POS printers do. */
import { answersIn, initialBackChannel } from '../../codecs/escpos-status.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/usb.ts';
import { answered } from '../../runtime/bindings/usb-transfers.ts';

/** DLE EOT 1, transmit real-time status: nothing of it prints in another language (Epson ESC/POS, DLE EOT). */
const STATUS_REQUEST = Uint8Array.of(0x10, 0x04, 0x01);
const ANSWER_MS = 1000;
/** A printer says something by itself when it changes, and keeps what nobody has read. */
const MOST_READS = 8;

/**
 * True where the answer to a real-time status request is that of ESC/POS, also behind automatic status that had waited to
 * be read. False where there is none, or anything else came: a status that a Star printer sends by itself begins with
 * bytes that ESC/POS has not. The interface is claimed. Rejects with a UsbError of any other kind than a stall or a timeout.
 */
export async function answersAsEscpos(device: UsbDevice, pipes: readonly UsbPipe[]): Promise<boolean> {
  const bulk = pipes.filter(({ type }) => type === 'bulk');
  const out = bulk.find(({ direction }) => direction === 'out');
  const back = bulk.find(({ direction }) => direction === 'in');
  if (out === undefined || back === undefined) return false;
  const sent = await answered(device.transferOut(out, STATUS_REQUEST, { timeoutMs: ANSWER_MS }).then(() => true));
  if (sent === undefined) return false;
  const endsAt = performance.now() + ANSWER_MS;
  let { state, items } = answersIn(initialBackChannel, new Uint8Array(0), 0);
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const timeoutMs = Math.max(1, Math.ceil(endsAt - performance.now()));
    const bytes = await answered(device.transferIn(back, back.maxPacketSize, { timeoutMs }));
    if (bytes === undefined) return false;
    ({ state, items } = answersIn(state, bytes, 1));
    if (items.some(({ type }) => type !== 'status' && type !== 'asb')) return false;
    if (items.some(({ type }) => type === 'status')) return true;
  }
  return false;
}
