/**
 * The status of an ESC/POS printer: decodes the answers to DLE EOT 1 to 4, and separates the bytes of its back-channel
 * into answers (Epson TM-T88III manual, DLE EOT, GS a, GS r and GS I).
 */

/** A decoded status. */
export interface PrinterReading {
  readonly known: true;
  readonly online: boolean;
  readonly coverOpen: boolean;
  readonly paperOut: boolean;
  /** Near end. */
  readonly paperLow: boolean;
  /** Drawer kick-out connector, pin 3. What it means depends on the drawer's switch. */
  readonly drawerPinHigh: boolean;
  readonly cutterError: boolean;
  /** An error that ends without an operator: the head is too hot, or the cover was opened while printing. */
  readonly recoversByItself: boolean;
  readonly unrecoverableError: boolean;
  /** Any of the errors above, or one the printer does not name. */
  readonly error: boolean;
}

/** The status is unknown: the printer is silent, write-only, or gave an answer that is no status byte. */
export interface UnknownReading {
  readonly known: false;
}

/** Bits 0, 1, 4 and 7 of every answer to DLE EOT are fixed: 0, 1, 1, 0. */
const isStatusByte = (byte: number): boolean => (byte & 0x93) === 0x12;

/** Decodes four bytes: the answers to DLE EOT 1, 2, 3 and 4, in this order. Unknown where one of them is no status byte. */
export function decodeStatus(replies: ArrayLike<number>): PrinterReading | UnknownReading {
  const [printer = 0, offline = 0, error = 0, paper = 0] = Array.from(replies);
  if (replies.length !== 4 || ![printer, offline, error, paper].every(isStatusByte)) return { known: false };
  return {
    known: true,
    online: (printer & 0x08) === 0,
    coverOpen: (offline & 0x04) !== 0,
    paperOut: (paper & 0x60) === 0x60 || (offline & 0x20) !== 0,
    paperLow: (paper & 0x0c) === 0x0c,
    drawerPinHigh: (printer & 0x04) !== 0,
    cutterError: (error & 0x08) !== 0,
    recoversByItself: (error & 0x40) !== 0,
    unrecoverableError: (error & 0x20) !== 0,
    error: (offline & 0x40) !== 0 || (error & 0x6c) !== 0,
  };
}

const ASB_BYTES = 4;
const isAsbStart = (byte: number): boolean => (byte & 0x93) === 0x10;
/** Bits 4 and 7 of the bytes after the first are 0, as in the one-byte answers to GS r and GS I. */
const isAsbRest = (byte: number): boolean => (byte & 0x90) === 0;

/** One answer of the printer. */
export interface BackChannelItem {
  /**
   * `status`: one answer to DLE EOT. `asb`: 4 bytes of automatic status back (GS a). `info`: 5F text 00 (GS I).
   * `processId`: 37 22 d1..d4 00 (GS ( H). `memorySwitch`: 37 21 .. 00 (GS ( E). `byte`: the rest, answers to GS r and GS I among them.
   */
  readonly type: 'status' | 'asb' | 'info' | 'processId' | 'memorySwitch' | 'byte';
  readonly bytes: Uint8Array;
}

/**
 * Whether this is no answer at all: neither a block nor the byte of GS r or GS I, of which bits 4 and 7 are 0. So is an answer
 * to DLE EOT that is more than was asked for.
 */
export const isNoise = ({ type, bytes }: BackChannelItem): boolean =>
  type === 'byte' && bytes.some((byte) => !isAsbRest(byte));

/** The bytes of a block that is not complete. The caller keeps it between calls. */
export interface BackChannelState {
  readonly partial: readonly number[];
}

/** The state before the first byte. */
export const initialBackChannel: BackChannelState = { partial: [] };

/** Bytes of the longest block. The bytes of a longer one are reported one by one. */
const MAX_BLOCK = 128;

/** The type of the block that these bytes are; `more` where it is not complete, `none` where they begin no block. */
function judge(block: readonly number[]): BackChannelItem['type'] | 'more' | 'none' {
  const [first = 0, second] = block;
  const last = block.at(-1)!;
  if (isAsbStart(first)) {
    if (block.length > 1 && !isAsbRest(last)) return 'none';
    return block.length === ASB_BYTES ? 'asb' : 'more';
  }
  if (block.length > MAX_BLOCK) return 'none';
  if (first === 0x5f) {
    if (last === 0) return 'info';
    return last < 0x20 ? 'none' : 'more';
  }
  if (first !== 0x37) return 'none';
  if (second === undefined) return 'more';
  if (second === 0x22) {
    if (block.length < 7) return last === 0 ? 'none' : 'more';
    return last === 0 ? 'processId' : 'none';
  }
  if (second !== 0x21) return 'none';
  return last === 0 ? 'memorySwitch' : 'more';
}

/**
 * Separates bytes from the printer into answers. `expected`: how many answers to DLE EOT the node is waiting for; beyond
 * that number, a byte that looks like one is not reported as `status`. Every byte is reported, and only bytes that can
 * be part of a block are kept in the state.
 */
export function answersIn(
  state: BackChannelState,
  bytes: Uint8Array,
  expected: number,
): { readonly state: BackChannelState; readonly items: readonly BackChannelItem[] } {
  const items: BackChannelItem[] = [];
  let awaited = expected;
  let partial: number[] = [...state.partial];
  const give = (type: BackChannelItem['type'], block: readonly number[]): void => {
    items.push({ type, bytes: Uint8Array.from(block) });
  };
  for (const byte of bytes) {
    if (partial.length > 0) {
      const verdict = judge([...partial, byte]);
      if (verdict === 'none') give('byte', partial);
      else {
        partial.push(byte);
        if (verdict === 'more') continue;
        give(verdict, partial);
      }
      partial = [];
      if (verdict !== 'none') continue;
    }
    if (awaited > 0 && isStatusByte(byte)) {
      awaited--;
      give('status', [byte]);
    } else if (judge([byte]) === 'more') partial.push(byte);
    else give('byte', [byte]);
  }
  return { state: { partial }, items };
}
