/**
 * Finds the pressed keys in the reports of a keyboard: where its report descriptor says they are (HID 1.11, 6.2.2.5), or
 * at the places of the boot protocol (appendix B.1). Keys are usages of page 07 (HID Usage Tables, section 10).
 */
import { locateUsage, type ReportDescriptor, type ReportField, readField, reportBytes, usageAt } from './hid-report.ts';

const KEYBOARD_PAGE = 0x07_0000;
const LEFT_CONTROL = 0xe0;
const RIGHT_GUI = 0xe7;
/** Usages 01 to 03 report an error: too many keys pressed (rollover), or a fault of the keyboard. */
const LAST_ERROR_USAGE = 0x03;
const CONSTANT = 0x01;
const VARIABLE = 0x02;
/** More keys than anybody presses at once are taken for an error. */
const MOST_KEYS = 64;
const BOOT_BYTES = 8;
const BOOT_KEYS_AT = 2;

/** What one report says. */
export interface PressedKeys {
  readonly reportId: number;
  /** Bit n is usage E0 + n; undefined where this report has no modifiers. */
  readonly modifiers: number | undefined;
  /** Usages in the order of the report, each as often as it is there; undefined where the keyboard reports an error. */
  readonly keys: readonly number[] | undefined;
  /** From a field with a bit for each key, whose order tells nothing of the order in which they were pressed. */
  readonly unordered: boolean;
}

/** How to read the reports of one keyboard; undefined for a report that is cut off or has no keys. */
export type KeyboardFormat = (report: Uint8Array) => PressedKeys | undefined;

/**
 * The 8-byte reports of the boot protocol. One of nine bytes has its report id in front: some keyboards accept the
 * boot protocol and go on with their own reports.
 */
export const bootFormat: KeyboardFormat = (report) => {
  const start = report.length === BOOT_BYTES + 1 ? 1 : 0;
  if (report.length <= start + BOOT_KEYS_AT) return undefined;
  const keys = [...report.subarray(start + BOOT_KEYS_AT, start + BOOT_BYTES)].filter((key) => key !== 0);
  return pressed(start === 1 ? report[0]! : 0, report[start]!, keys, false);
};

/** The output report that sets the lights of a keyboard, its id in front where reports have one. */
export interface LightsReport {
  readonly id: number;
  readonly bytes: Uint8Array;
}

const NUM_LOCK_LIGHT = 0x08_0001;
const LIGHTS = 3;

/**
 * The output report for these lights: bit 0 Num Lock, 1 Caps Lock, 2 Scroll Lock (HID Usage Tables, page 08). Without a
 * descriptor that of the boot protocol, one byte; undefined where the descriptor has no lights.
 */
export function lightsReport(lights: number, descriptor: ReportDescriptor | undefined): LightsReport | undefined {
  if (descriptor === undefined) return { id: 0, bytes: Uint8Array.of(lights) };
  const places = Array.from({ length: LIGHTS }, (_, light) =>
    locateUsage(descriptor, 'output', NUM_LOCK_LIGHT + light),
  );
  const id = places.find((place) => place !== undefined)?.field.reportId;
  const length = id === undefined ? undefined : reportBytes(descriptor, 'output', id);
  if (id === undefined || length === undefined) return undefined;
  const bytes = new Uint8Array(length);
  if (descriptor.numbered) bytes[0] = id;
  places.forEach((place, light) => {
    if (place === undefined || place.field.reportId !== id || !((lights >> light) & 1)) return;
    const bit = place.field.bitOffset + place.index * place.field.bitSize;
    bytes[bit >> 3] = bytes[bit >> 3]! | (1 << (bit & 7));
  });
  return { id, bytes };
}

interface KeyFields {
  readonly fields: readonly ReportField[];
  readonly bytes: number;
  readonly hasModifiers: boolean;
  readonly unordered: boolean;
}

/** The format that a report descriptor describes; undefined where it describes no keys. */
export function describedFormat({ numbered, fields }: ReportDescriptor): KeyboardFormat | undefined {
  const reports = new Map<number, KeyFields>();
  const ofKeys = fields.filter(
    ({ type, flags, usages }) => type === 'input' && !(flags & CONSTANT) && usages.some(isOfKeyboard),
  );
  for (const { reportId } of ofKeys) {
    const own = ofKeys.filter((field) => field.reportId === reportId);
    reports.set(reportId, {
      fields: own,
      bytes: Math.ceil(Math.max(...own.map(({ bitOffset, bitSize, count }) => bitOffset + bitSize * count)) / 8),
      hasModifiers: own.some(({ usages }) => usages.some(hasModifier)),
      unordered: own.some(({ flags, usages }) => flags & VARIABLE && usages.some(hasPlainKey)),
    });
  }
  if (reports.size === 0) return undefined;
  return (report) => {
    const reportId = numbered ? (report[0] ?? 0) : 0;
    const known = reports.get(reportId);
    if (known === undefined || report.length < known.bytes) return undefined;
    const keys: number[] = [];
    let modifiers = 0;
    for (const field of known.fields) {
      for (let index = 0; index < field.count; index += 1) {
        const value = valueIn(report, field, index);
        // No key, also where an array counts its usages from 0.
        if (value === 0) continue;
        const key = keyAt(field, field.flags & VARIABLE ? index : value - field.logicalMin);
        if (key >= LEFT_CONTROL && key <= RIGHT_GUI) modifiers |= 1 << (key - LEFT_CONTROL);
        else if (key > 0) keys.push(key);
      }
    }
    return pressed(reportId, known.hasModifiers ? modifiers : undefined, keys, known.unordered);
  };
}

const isOfKeyboard = ({ first }: ReportField['usages'][number]) => (first & ~0xffff) === KEYBOARD_PAGE;
const hasModifier = ({ first, last }: ReportField['usages'][number]) =>
  first <= KEYBOARD_PAGE + RIGHT_GUI && last >= KEYBOARD_PAGE + LEFT_CONTROL;
const hasPlainKey = (range: ReportField['usages'][number]) =>
  isOfKeyboard(range) && range.first < KEYBOARD_PAGE + LEFT_CONTROL;

function pressed(
  reportId: number,
  modifiers: number | undefined,
  entries: readonly number[],
  unordered: boolean,
): PressedKeys {
  const isError = entries.length > MOST_KEYS || entries.some((key) => key <= LAST_ERROR_USAGE);
  return { reportId, modifiers, keys: isError ? undefined : entries, unordered };
}

/** A value of a field; whole bytes and single bits, which nearly every keyboard has, without arithmetic on bits. */
function valueIn(report: Uint8Array, field: ReportField, index: number): number {
  const { bitOffset, bitSize, logicalMin } = field;
  if (bitSize === 1) return (report[(bitOffset + index) >> 3]! >> ((bitOffset + index) & 7)) & 1;
  if (bitSize === 8 && logicalMin >= 0 && (bitOffset & 7) === 0) return report[(bitOffset >> 3) + index]!;
  return readField(report, field, index) ?? 0;
}

/** The usage of page 07 at this index of a field (HID 1.11, 6.2.2.8); 0 where there is none. */
function keyAt(field: ReportField, index: number): number {
  const usage = usageAt(field, index) ?? 0;
  return (usage & ~0xffff) === KEYBOARD_PAGE ? usage & 0xffff : 0;
}
