/**
 * HID POS scanners, usage page 8C (HID Point of Sale Usage Tables 1.02): decodes scanned data reports into whole reads. The
 * layout of a report comes from the report descriptor or, where that cannot be used, is the 64-byte one of Honeywell, Zebra
 * and Datalogic. Sources of the variants: Newland FM430 and Microscan manuals.
 */
import { type IdentifiedRead, identifyRead, symbologyOfHoneywellId } from './aim.ts';
import { defineCodec, type Parsed } from './codec.ts';
import { byteField, locateUsage, type ReportDescriptor, readField, type UsagePlace } from './hid-report.ts';
import { MAX_READ_BYTES, MAX_READ_CHARACTERS, readText } from './read-text.ts';

/** Codec `hid-pos` and its recipe options. */
export const hidPos = defineCodec({
  name: 'hid-pos',
  kind: 'scanner',
  toldByDescriptor: true,
  options: {
    symbologyByte: {
      type: 'string',
      enum: ['honeywell'],
      description: "Byte 61 holds the maker's own symbology id, which tells UPC-A from EAN-13 where AIM does not",
    },
    noAim: {
      type: 'boolean',
      description: 'No AIM identifier is sent: in the 64-byte report the data begin in its place (Newland)',
    },
    featureReportOnOpen: {
      type: 'string',
      enum: ['fe01'],
      description: 'Feature report to send once opened, id first, in hexadecimal: the scanner is silent before it',
    },
  },
});

export interface PosOptions {
  readonly symbologyByte?: 'honeywell';
  readonly noAim?: boolean;
  readonly featureReportOnOpen?: 'fe01';
}

/** The feature report to send after opening the device, its id first; undefined where none is needed. */
export const featureReportOnOpen = (options: PosOptions): Uint8Array | undefined =>
  options.featureReportOnOpen === undefined
    ? undefined
    : Uint8Array.from(Buffer.from(options.featureReportOnOpen, 'hex'));

const BYTE_COUNT = 0x01_003b;
const SYMBOLOGY_IDENTIFIERS = [0x8c_00fb, 0x8c_00fc, 0x8c_00fd];
const DECODED_DATA = 0x8c_00fe;
const DECODED_DATA_CONTINUED = 0x8c_00ff;

const HONEYWELL_ID_AT = 61;

/** The places of the parts of a scanned data report. */
interface PosLayout {
  readonly reportId: number;
  /** The number of data bytes in this report; where undefined, the data end where the padding (NULs) begins. */
  readonly count: UsagePlace | undefined;
  readonly aim: readonly UsagePlace[];
  readonly dataAt: number;
  readonly dataBytes: number;
  /** The bit that is 1 where the read continues in the next report. */
  readonly continued: UsagePlace | undefined;
}

const COMMON: PosLayout = {
  reportId: 2,
  count: byteField(1),
  aim: [byteField(2), byteField(3), byteField(4)],
  dataAt: 5,
  dataBytes: 56,
  continued: byteField(63),
};
/** Variant with one more byte in front of the identifier. */
const SHIFTED: PosLayout = { ...COMMON, aim: [byteField(3), byteField(4), byteField(5)], dataAt: 6 };
const NO_AIM: PosLayout = { ...COMMON, aim: [], dataAt: 2 };
/** Microscan: the identifier, if sent, is part of the data. */
const MICROSCAN: PosLayout = { ...NO_AIM, reportId: 1, dataBytes: 62, continued: undefined };

/** The state of a scanner between two reports. The caller keeps it. */
export interface PosState {
  readonly layout: PosLayout | undefined;
  readonly options: PosOptions;
  /** The read so far. */
  readonly bytes: Uint8Array;
  used: number;
  tooLong: boolean;
  aim: string | undefined;
}

/** A scanner with no read begun. `descriptor`: undefined where it could not be read. */
export const newPosScanner = (descriptor?: ReportDescriptor, options: PosOptions = {}): PosState => ({
  layout: descriptor && describedLayout(descriptor, options),
  options,
  bytes: new Uint8Array(MAX_READ_BYTES),
  used: 0,
  tooLong: false,
  aim: undefined,
});

/** Discards an incomplete read, after the report that continues it did not come. */
export function resetPosScanner(state: PosState): void {
  state.used = 0;
  state.tooLong = false;
  state.aim = undefined;
}

function describedLayout(descriptor: ReportDescriptor, { noAim }: PosOptions): PosLayout | undefined {
  const data = locateUsage(descriptor, 'input', DECODED_DATA)?.field;
  if (data === undefined || data.bitSize !== 8 || data.bitOffset % 8 !== 0) return undefined;
  const { reportId } = data;
  const locate = (usage: number) => locateUsage(descriptor, 'input', usage, reportId);
  const aim = SYMBOLOGY_IDENTIFIERS.map(locate).filter((place) => place !== undefined);
  return {
    reportId,
    count: locate(BYTE_COUNT),
    aim: noAim || aim.length < SYMBOLOGY_IDENTIFIERS.length ? [] : aim,
    dataAt: data.bitOffset / 8,
    dataBytes: data.count,
    continued: locate(DECODED_DATA_CONTINUED),
  };
}

function commonLayout(report: Uint8Array, { noAim }: PosOptions): PosLayout {
  if (report[0] === MICROSCAN.reportId) return MICROSCAN;
  if (noAim) return NO_AIM;
  return report[2] !== 0x5d && report[3] === 0x5d ? SHIFTED : COMMON;
}

/**
 * Decodes one report. `value`: the read that it completes, or null where the read continues, nothing was read, or it is
 * another report of the device. A report that contradicts itself and a read of over 4,096 characters are errors.
 */
export function readPosReport(state: PosState, report: Uint8Array): Parsed<IdentifiedRead | null> {
  const layout = state.layout ?? commonLayout(report, state.options);
  if (layout.reportId !== 0 && report[0] !== layout.reportId) return NOTHING;
  const room = Math.max(0, Math.min(layout.dataBytes, report.length - layout.dataAt));
  const count =
    layout.count === undefined ? unpadded(report, layout.dataAt, room) : valueAt(report, layout.count) & 0xffff;
  if (count > room) {
    resetPosScanner(state);
    return { ok: false, reason: `scanned data report says ${count} bytes and has room for ${room}` };
  }
  const fits = Math.min(count, MAX_READ_BYTES - state.used);
  state.bytes.set(report.subarray(layout.dataAt, layout.dataAt + fits), state.used);
  state.used += fits;
  state.tooLong ||= fits < count;
  state.aim ??= identifier(report, layout);
  if (layout.continued && valueAt(report, layout.continued) & 1) return NOTHING;
  const read = finishRead(state, report, layout);
  resetPosScanner(state);
  return read;
}

const NOTHING = { ok: true, value: null } as const;

const valueAt = (report: Uint8Array, { field, index }: UsagePlace) => readField(report, field, index) ?? 0;

function unpadded(report: Uint8Array, from: number, room: number): number {
  let count = room;
  while (count > 0 && report[from + count - 1] === 0) count--;
  return count;
}

function identifier(report: Uint8Array, layout: PosLayout): string | undefined {
  const text = String.fromCharCode(...layout.aim.map((place) => valueAt(report, place) & 0xff));
  return /^\][A-Za-z][0-9A-Za-z]$/.test(text) ? text : undefined;
}

function finishRead(state: PosState, report: Uint8Array, layout: PosLayout): Parsed<IdentifiedRead | null> {
  // Some scanners also send the terminator that is set for keyboard mode, or count the padding as data.
  const text = readText(state.bytes.subarray(0, state.used));
  if (state.tooLong || text.length > MAX_READ_CHARACTERS) {
    return { ok: false, reason: `read longer than ${MAX_READ_CHARACTERS} characters` };
  }
  if (text === '') return NOTHING;
  const read = identifyRead(text, state.aim);
  const hasOwnId = state.options.symbologyByte === 'honeywell' && layout.dataAt + layout.dataBytes <= HONEYWELL_ID_AT;
  const own = hasOwnId ? symbologyOfHoneywellId(report[HONEYWELL_ID_AT] ?? 0) : undefined;
  return { ok: true, value: own === undefined ? read : { ...read, symbology: own, symbologySource: 'aim' } };
}
