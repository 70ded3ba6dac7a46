/**
 * Parses HID report descriptors into fields at bit positions (Device Class Definition for HID 1.11, 5.2 to 6.2.2.9). The
 * device is not trusted: an invalid descriptor gives a reason, and every list has a limit.
 */
import type { Parsed } from './codec.ts';

/** The limit of Linux (HID_MAX_DESCRIPTOR_SIZE). */
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
  /** Bits from the beginning of the report as transferred, a report id included. */
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
  /** True where every report begins with its id. */
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

/** Reads the items one by one. A method that returns a string has found the reason why the descriptor is invalid. */
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

  /** Reads one item. `prefix`: without its size bits; `unsigned`, `signed`: its data, read both ways. */
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
        // Four bits by the standard; some devices send it sign-extended.
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
        // Physical limits, units, strings, designators and reserved items do not change the layout.
        return undefined;
    }
  }

  /** The usages of the local items, which apply to one main item only. */
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
    // A maximum of FF is 255 with a minimum of 0, and -1 with a negative minimum.
    const logicalMax = logicalMin < 0 ? globals.logicalMaxSigned : globals.logicalMaxUnsigned;
    const shape = { bitOffset, bitSize: reportSize, count: reportCount };
    this.fields.push({ reportId, type, usages, ...shape, flags, logicalMin, logicalMax, unitExponent });
    return undefined;
  }
}

/** Parses a whole report descriptor. An invalid one, or one over 4,096 bytes, gives a reason with the byte position. */
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
 * The value at `index` of a field, sign-extended where its logical minimum is negative. Undefined where the report is too
 * short, the index is out of range or the value is wider than 32 bits. The caller checks the report id.
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

/** The place of one usage in a report: `readField(report, place.field, place.index)`. */
export interface UsagePlace {
  readonly field: ReportField;
  readonly index: number;
}

/** A field of whole bytes at a known offset, for devices whose descriptor cannot be used. */
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

/** The first field with this usage, in one report where `reportId` is given. For an array field the index is 0. */
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

/** The usage at `index` of those that a field lists (6.2.2.8); undefined behind the last. */
export function usageAt({ usages }: ReportField, index: number): number | undefined {
  let left = index;
  for (const { first, last } of usages) {
    if (left >= 0 && left <= last - first) return first + left;
    left -= last - first + 1;
  }
  return undefined;
}

/** Bytes of a report, its id included; without `reportId` of the longest; undefined where the descriptor has none. */
export function reportBytes(
  descriptor: ReportDescriptor | undefined,
  wanted: ReportType,
  reportId?: number,
): number | undefined {
  const ends = (descriptor?.fields ?? [])
    .filter(({ type, reportId: id }) => type === wanted && (reportId === undefined || id === reportId))
    .map(({ bitOffset, bitSize, count }) => bitOffset + bitSize * count);
  return ends.length === 0 ? undefined : Math.ceil(Math.max(...ends) / 8);
}

/** Bytes of the longest input report, its id included; undefined where the descriptor has none. */
export const longestInputReport = (descriptor: ReportDescriptor | undefined): number | undefined =>
  reportBytes(descriptor, 'input');

export type HidApplication = 'scanner' | 'scale' | 'keyboard';

/** In order of preference: a scanner or scale often has a keyboard interface, too. Older scales use the usage 8D:20. */
const APPLICATIONS: readonly (readonly [usage: number, application: HidApplication])[] = [
  [0x8c_0002, 'scanner'],
  [0x8d_0001, 'scale'],
  [0x8d_0020, 'scale'],
  [0x01_0006, 'keyboard'],
];

/**
 * The application of a device, by the top-level collections of its interfaces, and the index of that interface. Undefined
 * for applications that the node does not drive, such as consumer controls, keypads and vendor pages.
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
