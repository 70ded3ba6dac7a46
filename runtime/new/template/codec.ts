/** What the device says: one reading a line, as text that ends with CR, LF or both. */
import { defineCodec, type Parsed } from 'tillnode/codec';

export const lineCodec = defineCodec({
  name: 'sample-lines',
  kind: 'sample',
  options: {
    baudRate: {
      type: 'integer',
      description: 'Bits a second of the line behind the USB port; 9600 if left out',
      minimum: 300,
      maximum: 921_600,
    },
  },
});

/** Row options of this codec. */
export interface LineOptions {
  readonly baudRate?: number;
}

export const DEFAULT_BAUD_RATE = 9600;
const MAX_LINE_BYTES = 256;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** What has come of a line that has not ended. */
export interface LineState {
  readonly bytes: number[];
}

/** Takes what arrived: every line that it completes. One of over 256 bytes is an error value. */
export function takeLines({ bytes }: LineState, arrived: Uint8Array): Parsed<string>[] {
  const lines: Parsed<string>[] = [];
  for (const byte of arrived) {
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      if (bytes.length <= MAX_LINE_BYTES) bytes.push(byte);
      continue;
    }
    const line = bytes.splice(0);
    if (line.length > MAX_LINE_BYTES) lines.push({ ok: false, reason: `a line of over ${MAX_LINE_BYTES} bytes` });
    else if (line.length > 0) lines.push({ ok: true, value: Buffer.from(line).toString() });
  }
  return lines;
}
