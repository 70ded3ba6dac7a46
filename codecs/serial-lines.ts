/** Scanners on a serial line: a read ends with CR, LF or both, or after a pause, where the caller calls `endLine`. */
import { type IdentifiedRead, identifyRead } from './aim.ts';
import { defineCodec, type Parsed } from './codec.ts';
import { MAX_READ_BYTES, MAX_READ_CHARACTERS, readText } from './read-text.ts';

/** Recipe options of this codec. `baudRate`: bits a second. */
export interface SerialOptions {
  readonly baudRate?: number;
}

/** The factory setting of serial scanners, in bits a second; a scanner without a real serial line ignores it. */
export const DEFAULT_BAUD_RATE = 9600;

/** Codec `serial-lines` and its recipe options. */
export const serialLines = defineCodec({
  name: 'serial-lines',
  kind: 'scanner',
  options: {
    baudRate: {
      type: 'integer',
      description: 'Bits a second of the line behind the USB port, for scanners that have one; 9600 if left out',
      minimum: 300,
      maximum: 921_600,
    },
  },
});

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The bytes of an incomplete line. The caller keeps it. */
export interface LineState {
  readonly bytes: Uint8Array;
  used: number;
  tooLong: boolean;
}

/** An empty line. */
export const newLine = (): LineState => ({ bytes: new Uint8Array(MAX_READ_BYTES), used: 0, tooLong: false });

/** Adds bytes and returns the reads that they complete; a read of over 4,096 characters is an error. */
export function takeSerial(state: LineState, arrived: Uint8Array): Parsed<IdentifiedRead>[] {
  const reads: Parsed<IdentifiedRead>[] = [];
  for (const byte of arrived) {
    if (byte === CARRIAGE_RETURN || byte === LINE_FEED) reads.push(...endLine(state));
    else if (state.used === MAX_READ_BYTES) state.tooLong = true;
    else {
      state.bytes[state.used] = byte;
      state.used += 1;
    }
  }
  return reads;
}

/** Ends the line, for scanners without a terminator. Returns one read, or none where the line has no text. */
export function endLine(state: LineState): Parsed<IdentifiedRead>[] {
  const { tooLong } = state;
  const text = tooLong ? '' : readText(state.bytes.subarray(0, state.used));
  forgetLine(state);
  if (tooLong || text.length > MAX_READ_CHARACTERS)
    return [{ ok: false, reason: `read longer than ${MAX_READ_CHARACTERS} characters` }];
  return text === '' ? [] : [{ ok: true, value: identifyRead(text) }];
}

/** Discards the incomplete line. */
export function forgetLine(state: LineState): void {
  state.used = 0;
  state.tooLong = false;
}
