/**
 * Encodes the condition of the virtual printer: DLE EOT, automatic status back (GS a) and GS r (Epson TM-T88III manual), and
 * the USB port status (USB printer class 1.1, 4.2.2).
 */

export type PrinterCondition = {
  cover: 'closed' | 'open';
  paper: 'ok' | 'low' | 'out';
  drawer: 'closed' | 'open';
};

/** True where the printer prints: the cover is closed and it has paper. */
export const isOnline = ({ cover, paper }: PrinterCondition): boolean => cover === 'closed' && paper !== 'out';

const flag = (on: boolean, bits: number): number => (on ? bits : 0);

/** The answer to DLE EOT n, n 1 to 4: bits 1 and 4 always set, 0 and 7 never (Epson TM-T88III manual, DLE EOT). */
export const realtimeStatus = (n: number, condition: PrinterCondition): number => {
  const { cover, paper, drawer } = condition;
  if (n === 1) return 0x12 | flag(drawer === 'open', 0x04) | flag(!isOnline(condition), 0x08);
  if (n === 2) return 0x12 | flag(cover === 'open', 0x04) | flag(paper === 'out', 0x20);
  if (n === 4) return 0x12 | flag(paper === 'low', 0x0c) | flag(paper === 'out', 0x60);
  return 0x12;
};

/** The four bytes of automatic status back (Epson TM-T88III manual, GS a). */
export const automaticStatus = (condition: PrinterCondition): Uint8Array => {
  const { cover, paper, drawer } = condition;
  const first = 0x10 | flag(drawer === 'open', 0x04) | flag(!isOnline(condition), 0x08) | flag(cover === 'open', 0x20);
  return Uint8Array.of(first, 0, flag(paper !== 'ok', 0x03) | flag(paper === 'out', 0x0c), 0x0f);
};

/** The bits of n in `GS a n` that enable a report of this change. */
export const automaticStatusCause = (from: PrinterCondition, to: PrinterCondition): number =>
  flag(from.drawer !== to.drawer, 0x01) |
  flag(from.cover !== to.cover || isOnline(from) !== isOnline(to), 0x02) |
  flag(from.paper !== to.paper, 0x08);

/** The answer to GS r n: 1 paper sensors, 2 drawer; undefined for another sensor. */
export const queuedStatus = (n: number, { paper, drawer }: PrinterCondition): number | undefined => {
  if (n === 1 || n === 49) return flag(paper !== 'ok', 0x03) | flag(paper === 'out', 0x0c);
  return n === 2 || n === 50 ? flag(drawer === 'open', 0x01) : undefined;
};

/** GET_PORT_STATUS (USB printer class 1.1, 4.2.2): bit 3 no error, bit 4 selected, bit 5 paper empty. */
export const portStatus = (condition: PrinterCondition): number =>
  0x10 | flag(isOnline(condition), 0x08) | flag(condition.paper === 'out', 0x20);
