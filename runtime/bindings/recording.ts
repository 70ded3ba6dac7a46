/**
 * The format of recordings: transfers between node and devices, one JSON object per line (NDJSON). `GET /capture`
 * writes it, a recorded device (virtual/replay.ts) reads it. A `connect` line contains the identity of a USB device;
 * the transfer lines that follow on the same channel belong to that device, in the order in which they ended.
 */
import { decodeBase64 } from '../../codecs/base64.ts';
import type { Parsed } from '../../codecs/codec.ts';
import type { UsbFault, UsbIdentity, UsbInterface, UsbSetup } from './usb.ts';

/** Bytes kept of each transfer; `length` is its real length. */
export const KEPT_BYTES = 256;

/** One line: a transfer, a connected device or a mark. `in` is towards the node. */
export interface RecordLine {
  /** Sequence number; 0 for lines that do not come from the ring. */
  readonly seq: number;
  /** Milliseconds since the node started, monotonic. */
  readonly tMs: number;
  /** `usb:<port path>`, `raw` (port 9100), or `mark`. */
  readonly channel: string;
  readonly direction: 'in' | 'out' | 'mark' | 'connect';
  /** Endpoint of the API, once the device is bound. */
  readonly endpoint?: string;
  /** bEndpointAddress of a transfer on a pipe. */
  readonly pipe?: number;
  /** The request of a control transfer; `data` is its data stage. */
  readonly setup?: UsbSetup;
  /** How the transfer failed; `data` was transferred before. */
  readonly fault?: UsbFault;
  /** For `mark`: its text. */
  readonly text?: string;
  /** For `connect`: the device. */
  readonly identity?: UsbIdentity;
  /** How often this transfer, or the request and response it belongs to, was repeated with no other on its channel. */
  readonly repeats?: number;
  /** Time of the last repetition. */
  readonly lastTMs?: number;
  readonly length: number;
  readonly data: Uint8Array;
}

/** A record as one line of JSON, with a line feed. */
export function writeLine({ identity, length, data, ...rest }: RecordLine): string {
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
  return `${JSON.stringify({ ...rest, length, data: base64, ...(identity && { identity: written(identity) }) })}\n`;
}

const written = ({ interfaces, descriptors, ...rest }: UsbIdentity) => ({
  ...rest,
  ...(descriptors && { descriptors: Buffer.from(descriptors).toString('base64') }),
  interfaces: interfaces.map((each) => ({ ...each, extra: Buffer.from(each.extra).toString('base64') })),
});

/** Parses a recording. If a line is not valid, the whole is refused; the reason contains its number. */
export function readRecording(text: string): Parsed<readonly RecordLine[]> {
  const lines: RecordLine[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const record = readLine(line);
    if (typeof record === 'string') return { ok: false, reason: `line ${index + 1}: ${record}` };
    lines.push(record);
  }
  return { ok: true, value: lines };
}

type Fields = Readonly<Record<string, unknown>>;
const DIRECTIONS: readonly unknown[] = ['in', 'out', 'mark', 'connect'];
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isByte = (value: unknown) => isUint(value) && Number(value) <= 0xff;
const isUint = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

function readLine(line: string): RecordLine | string {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (!isFields(read)) return 'is not an object';
  const { seq, tMs, length, channel, direction, pipe, setup, identity, repeats } = read;
  const data = typeof read['data'] === 'string' ? decodeBase64(read['data']) : undefined;
  if (!isUint(seq) || !isUint(tMs) || typeof channel !== 'string' || !DIRECTIONS.includes(direction))
    return 'is not a record';
  if (data === undefined || !isUint(length) || Number(length) < data.length)
    return 'data: is not base64, or longer than `length`';
  if (pipe !== undefined && !isByte(pipe)) return 'pipe: is not an endpoint address';
  if (repeats !== undefined && !isUint(repeats)) return 'repeats: is not a number';
  if (setup !== undefined && !isSetup(setup)) return 'setup: is not a control request';
  if (direction !== 'connect') return { ...(read as unknown as RecordLine), data };
  const device = readIdentity(identity);
  return device === undefined
    ? 'identity: is not a device'
    : { ...(read as unknown as RecordLine), data, identity: device };
}

const isSetup = (value: unknown): boolean =>
  isFields(value) && ['requestType', 'request', 'value', 'index'].every((field) => isUint(value[field]));

const isText = (value: unknown) => typeof value === 'string' && value.length <= 126;

function readIdentity(value: unknown): UsbIdentity | undefined {
  if (!isFields(value) || !Array.isArray(value['interfaces'])) return undefined;
  const ids = [value['vendorId'], value['productId']];
  const sound =
    ids.every((id) => typeof id === 'string' && /^[0-9a-f]{4}$/.test(id)) &&
    ['make', 'model', 'port'].every((field) => isText(value[field])) &&
    (value['serial'] === undefined || isText(value['serial'])) &&
    isByte(value['class']) &&
    typeof value['selfPowered'] === 'boolean';
  const raw = value['descriptors'];
  const descriptors = typeof raw === 'string' ? decodeBase64(raw) : undefined;
  if (raw !== undefined && descriptors === undefined) return undefined;
  const interfaces = value['interfaces'].map(readInterface).filter((each) => each !== undefined);
  if (!sound || interfaces.length < value['interfaces'].length) return undefined;
  return { ...(value as unknown as UsbIdentity), interfaces, ...(descriptors && { descriptors }) };
}

function readInterface(value: unknown): UsbInterface | undefined {
  if (!isFields(value) || !Array.isArray(value['pipes']) || typeof value['extra'] !== 'string') return undefined;
  const extra = decodeBase64(value['extra']);
  const sound =
    ['number', 'alternate', 'class', 'subclass', 'protocol'].every((field) => isByte(value[field])) &&
    value['pipes'].every((pipe) => isFields(pipe) && isByte(pipe['address']) && isUint(pipe['maxPacketSize']));
  return sound && extra !== undefined ? { ...(value as unknown as UsbInterface), extra } : undefined;
}
