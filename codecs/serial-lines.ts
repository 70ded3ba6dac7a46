/** Scanners on a serial line: a read ends with CR, LF or both, or when nothing follows, which is for the caller to tell. */
import { type IdentifiedRead, identifyRead } from './aim.ts';
import { defineCodec, type Parsed } from './codec.ts';
import { MAX_READ_BYTES, MAX_READ_CHARACTERS, readText } from './read-text.ts';

/** Row options of this codec, for rows typed by hand. */
export interface SerialOptions {
  readonly baudRate?: number;
}

/** What serial scanners leave the factory with; one that is USB to the core ignores it. */
export const DEFAULT_BAUD_RATE = 9600;

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

/** What is held of a line that has not ended. */
export interface LineState {
  readonly bytes: Uint8Array;
  used: number;
  tooLong: boolean;
}

export const newLine = (): LineState => ({ bytes: new Uint8Array(MAX_READ_BYTES), used: 0, tooLong: false });

/** Takes what arrived: every read that it completes; those over 4,096 characters are error values. */
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

/** Ends the line, of a scanner without a terminator too: one read, or none where there was no text. */
export function endLine(state: LineState): Parsed<IdentifiedRead>[] {
  const { tooLong } = state;
  const text = tooLong ? '' : readText(state.bytes.subarray(0, state.used));
  forgetLine(state);
  if (tooLong || text.length > MAX_READ_CHARACTERS)
    return [{ ok: false, reason: `read longer than ${MAX_READ_CHARACTERS} characters` }];
  return text === '' ? [] : [{ ok: true, value: identifyRead(text) }];
}

export function forgetLine(state: LineState): void {
  state.used = 0;
  state.tooLong = false;
}
