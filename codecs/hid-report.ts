/**
 * HID report descriptors as fields at bit positions (Device Class Definition for HID 1.11, 5.2 to 6.2.2.9).
 * A device may send anything here: whatever is not understood ends in a reason, and every list is bounded.
 */
import type { Parsed } from './codec.ts';

/** Linux takes no longer descriptor either (HID_MAX_DESCRIPTOR_SIZE). */
const MAX_DESCRIPTOR_BYTES = 4096;
const MAX_FIELDS = 512;
const MAX_COLLECTIONS = 256;
const MAX_NESTING = 32;
const MAX_PUSHED = 8;
const MAX_REPORT_BITS = 8 * 4096;

const SIZES = [0, 1, 2, 4] as const;
const LONG_ITEM = 0xfe;
const VARIABLE = 0x02;
const APPLICATION_COLLECTION = 0x01;

export type ReportType = 'input' | 'output' | 'feature';

/** Usages `first` to `last`, each as page << 16 | id. */
export interface UsageRange {
  readonly first: number;
  readonly last: number;
}

/** One main item: `count` values of `bitSize` bits. Constant fields without a usage (padding) are not listed. */
export interface ReportField {
  /** 0 where the device does not number its reports. */
  readonly reportId: number;
  readonly type: ReportType;
  readonly usages: readonly UsageRange[];
  /** From the first bit that goes over the pipe: the report id, where there is one, is counted. */
  readonly bitOffset: number;
  readonly bitSize: number;
  readonly count: number;
  /** Bits of the main item (6.2.2.5): 0 constant, 1 variable (else array), 2 relative. */
  readonly flags: number;
  readonly logicalMin: number;
  readonly logicalMax: number;
  /** Power of ten, -8 to 7. */
  readonly unitExponent: number;
}

export interface ReportCollection {
  readonly usage: number;
  /** 0 physical, 1 application, 2 logical (6.2.2.6). */
  readonly type: number;
  /** Index of the collection around this one, -1 at the top. */
  readonly parent: number;
}

export interface ReportDescriptor {
  /** Every report begins with its id. */
  readonly numbered: boolean;
  readonly collections: readonly ReportCollection[];
  readonly fields: readonly ReportField[];
}

const UNDEFINED_GLOBALS = {
  usagePage: 0,
  logicalMin: 0,
  logicalMaxSigned: 0,
  logicalMaxUnsigned: 0,
  unitExponent: 0,
  reportSize: 0,
  reportCount: 0,
  reportId: 0,
};
type Globals = typeof UNDEFINED_GLOBALS;

/** A usage as declared; a short one gets the page in force at the main item (6.2.2.7). */
interface DeclaredRange extends UsageRange {
  readonly extended: boolean;
}

/** Takes items one by one; a string is the reason to stop. */
class DescriptorReader {
  readonly collections: ReportCollection[] = [];
  readonly fields: ReportField[] = [];
  numbered = false;
  #globals: Globals = { ...UNDEFINED_GLOBALS };
  readonly #pushed: Globals[] = [];
  readonly #open: number[] = [];
  readonly #bits = new Map<string, number>();
  #usages: DeclaredRange[] = [];
  #usageMin: number | undefined;

  get nesting(): number {
    return this.#open.length;
  }

  /** `prefix` without its size bits; the datum read as unsigned and as signed. */
  take(prefix: number, size: number, unsigned: number, signed: number): string | undefined {
    const globals = this.#globals;
    switch (prefix) {
      case 0x04:
        globals.usagePage = unsigned & 0xffff;
        return undefined;
      case 0x14:
        globals.logicalMin = signed;
        return undefined;
      case 0x24:
        globals.logicalMaxSigned = signed;
        globals.logicalMaxUnsigned = unsigned;
        return undefined;
      case 0x54:
        // A nibble by the book; some devices send it sign-extended.
        globals.unitExponent = unsigned < 16 ? (unsigned << 28) >> 28 : Math.max(-8, Math.min(7, signed));
        return undefined;
      case 0x74:
        globals.reportSize = unsigned;
        return undefined;
      case 0x84:
        if (unsigned === 0 || unsigned > 255) return `report id ${unsigned}`;
        globals.reportId = unsigned;
        this.numbered = true;
        return undefined;
      case 0x94:
        globals.reportCount = unsigned;
        return undefined;
      case 0xa4:
        if (this.#pushed.length === MAX_PUSHED) return 'too many pushes';
        this.#pushed.push({ ...globals });
        return undefined;
      case 0xb4: {
        const popped = this.#pushed.pop();
        if (!popped) return 'a pop without a push';
        this.#globals = popped;
        return undefined;
      }
      case 0x08:
        this.#usages.push({ first: unsigned, last: unsigned, extended: size === 4 });
        return undefined;
      case 0x18:
        this.#usageMin = unsigned;
        return undefined;
      case 0x28: {
        const first = this.#usageMin ?? unsigned;
        if (first > unsigned) return 'a usage range that runs backwards';
        this.#usages.push({ first, last: unsigned, extended: size === 4 });
        this.#usageMin = undefined;
        return undefined;
      }
      case 0x80:
        return this.#field('input', unsigned);
      case 0x90:
        return this.#field('output', unsigned);
      case 0xb0:
        return this.#field('feature', unsigned);
      case 0xa0:
        return this.#collection(unsigned);
      case 0xc0:
        this.#localUsages();
        return this.#open.pop() === undefined ? 'an end without its collection' : undefined;
      default:
        // Physical limits, units, strings, designators and reserved items move no bit.
        return undefined;
    }
  }

  /** What the local items say, which a main item uses up. */
  #localUsages(): UsageRange[] {
    const page = this.#globals.usagePage * 0x10000;
    const usages = this.#usages.map(({ first, last, extended }) =>
      extended ? { first, last } : { first: page + first, last: page + last },
    );
    this.#usages = [];
    this.#usageMin = undefined;
    return usages;
  }

  #collection(type: number): string | undefined {
    if (this.#open.length === MAX_NESTING) return 'collections nested too deep';
    if (this.collections.length === MAX_COLLECTIONS) return 'too many collections';
    const usage = this.#localUsages()[0]?.first ?? 0;
    this.#open.push(this.collections.push({ usage, type, parent: this.#open.at(-1) ?? -1 }) - 1);
    return undefined;
  }

  #field(type: ReportType, flags: number): string | undefined {
    const { reportId, reportSize, reportCount, logicalMin, unitExponent, ...globals } = this.#globals;
    const usages = this.#localUsages();
    const key = `${type} ${reportId}`;
    const bitOffset = this.#bits.get(key) ?? 0;
    const end = bitOffset + reportSize * reportCount;
    if (end > MAX_REPORT_BITS) return `${type} report ${reportId} too long`;
    this.#bits.set(key, end);
    if (end === bitOffset || usages.length === 0) return undefined;
    if (this.fields.length === MAX_FIELDS) return 'too many fields';
    // A maximum of FF goes with a minimum of 0 as 255, and with a negative one as -1.
    const logicalMax = logicalMin < 0 ? globals.logicalMaxSigned : globals.logicalMaxUnsigned;
    const shape = { bitOffset, bitSize: reportSize, count: reportCount };
    this.fields.push({ reportId, type, usages, ...shape, flags, logicalMin, logicalMax, unitExponent });
    return undefined;
  }
}

/** Reads a report descriptor whole. Never throws; a damaged or oversized one is refused with the byte it fails at. */
export function parseReportDescriptor(raw: Uint8Array): Parsed<ReportDescriptor> {
  const refuse = (reason: string) => ({ ok: false, reason }) as const;
  if (raw.length > MAX_DESCRIPTOR_BYTES) return refuse(`report descriptor of ${raw.length} bytes`);
  const reader = new DescriptorReader();
  let at = 0;
  while (at < raw.length) {
    const prefix = raw[at]!;
    const long = prefix === LONG_ITEM;
    const size = long ? 2 + (raw[at + 1] ?? 0) : SIZES[(prefix & 3) as 0 | 1 | 2 | 3];
    if (at + 1 + size > raw.length) return refuse(`item at byte ${at} is cut off`);
    if (!long) {
      let unsigned = 0;
      for (let byte = 0; byte < size; byte++) unsigned += raw[at + 1 + byte]! * 2 ** (8 * byte);
      const signed = (unsigned << (32 - 8 * size)) >> (32 - 8 * size);
      const fault = reader.take(prefix & 0xfc, size, unsigned, signed);
      if (fault !== undefined) return refuse(`${fault}, at byte ${at}`);
    }
    at += 1 + size;
  }
  if (reader.nesting > 0) return refuse('a collection is not closed');
  const { numbered, collections } = reader;
  const fields = numbered
    ? reader.fields.map((field) => ({ ...field, bitOffset: field.bitOffset + 8 }))
    : reader.fields;
  return { ok: true, value: { numbered, collections, fields } };
}

/**
 * The value at `index` of a field, sign-extended where its logical minimum is negative. Undefined where the report
 * is too short, the index is out of range or the value is wider than 32 bits. The report id is not looked at.
 */
export function readField(report: Uint8Array, field: ReportField, index = 0): number | undefined {
  const { bitSize, count, bitOffset, logicalMin } = field;
  if (!Number.isInteger(index) || index < 0 || index >= count || bitSize > 32) return undefined;
  const start = bitOffset + index * bitSize;
  if (start + bitSize > report.length * 8) return undefined;
  let value = 0;
  for (let done = 0; done < bitSize; ) {
    const at = start + done;
    const take = Math.min(8 - (at & 7), bitSize - done);
    const bits = (report[at >> 3]! >> (at & 7)) & ((1 << take) - 1);
    value += bits * 2 ** done;
    done += take;
  }
  return logicalMin < 0 && value >= 2 ** (bitSize - 1) ? value - 2 ** bitSize : value;
}

/** Where one usage stands: `readField(report, place.field, place.index)`. */
export interface UsagePlace {
  readonly field: ReportField;
  readonly index: number;
}

/** A whole-byte field of a layout known by heart, for devices whose descriptor cannot be used. */
export const byteField = (byte: number, bytes = 1): UsagePlace => ({
  field: {
    reportId: 0,
    type: 'input',
    usages: [],
    bitOffset: byte * 8,
    bitSize: bytes * 8,
    count: 1,
    flags: VARIABLE,
    logicalMin: 0,
    logicalMax: 2 ** (bytes * 8) - 1,
    unitExponent: 0,
  },
  index: 0,
});

/** The first field that carries a usage, in one report if `reportId` is given. An array field counts from index 0. */
export function locateUsage(
  descriptor: ReportDescriptor,
  type: ReportType,
  usage: number,
  reportId?: number,
): UsagePlace | undefined {
  for (const field of descriptor.fields) {
    if (field.type !== type || (reportId !== undefined && field.reportId !== reportId)) continue;
    let before = 0;
    for (const { first, last } of field.usages) {
      if (usage >= first && usage <= last) {
        const index = field.flags & VARIABLE ? before + usage - first : 0;
        if (index < field.count) return { field, index };
      }
      before += last - first + 1;
    }
  }
  return undefined;
}

/** Bytes of the longest input report, its id counted; undefined where the descriptor tells of none. */
export function longestInputReport(descriptor: ReportDescriptor | undefined): number | undefined {
  const ends = (descriptor?.fields ?? [])
    .filter(({ type }) => type === 'input')
    .map(({ bitOffset, bitSize, count }) => bitOffset + bitSize * count);
  return ends.length === 0 ? undefined : Math.ceil(Math.max(...ends) / 8);
}

export type HidApplication = 'scanner' | 'scale' | 'keyboard';

/** Best first: a scanner or scale often shows a keyboard beside it. Older scales call themselves 8D:20. */
const APPLICATIONS: readonly (readonly [usage: number, application: HidApplication])[] = [
  [0x8c_0002, 'scanner'],
  [0x8d_0001, 'scale'],
  [0x8d_0020, 'scale'],
  [0x01_0006, 'keyboard'],
];

/**
 * What a device is, by the top-level collections of its interfaces, and which interface says so.
 * Consumer controls, keypads and vendor pages are nothing that this node drives: undefined.
 */
export function chooseApplication(
  descriptors: readonly (ReportDescriptor | undefined)[],
): { readonly application: HidApplication; readonly index: number } | undefined {
  for (const [usage, application] of APPLICATIONS) {
    const index = descriptors.findIndex((descriptor) =>
      descriptor?.collections.some(
        (collection) =>
          collection.parent === -1 && collection.type === APPLICATION_COLLECTION && collection.usage === usage,
      ),
    );
    if (index >= 0) return { application, index };
  }
  return undefined;
}
