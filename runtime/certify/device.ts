/** What a recording shows of a device itself: descriptors, report descriptors, device id and first input reports. */
import { parseReportDescriptor, type ReportDescriptor, type ReportField, readField } from '../../codecs/hid-report.ts';
import type { CertifiedDevice } from '../recipes/certificate.ts';
import type { CapturedRecord } from './anonymous.ts';
import { bytesOf, character, hexOf, type PacketsSaid, saidOnLine, textOfRead, textOfScale } from './line.ts';

const GET_REPORT_DESCRIPTOR = [0x81, 0x06, 0x2200];
const GET_DEVICE_ID = [0xa1, 0x00, undefined];
const MAX_REPORTS = 64;

/** What is replaced in what a device of this kind sends over a serial line; a printer sends its status, which nobody needs. */
const ON_LINE: Readonly<Record<string, ((bytes: Uint8Array) => Uint8Array) | undefined>> = {
  scale: textOfScale,
  scanner: textOfRead,
};

/**
 * `records`: without serial numbers (anonymous.ts). `kind`: what it is certified as. Undefined where the node did not tell
 * the descriptors.
 */
export function deviceOf(records: readonly CapturedRecord[], kind: string): CertifiedDevice | undefined {
  const identity = records.find((record) => record.identity !== undefined)?.identity;
  if (identity?.descriptors === undefined) return undefined;
  const answers = (wanted: readonly (number | undefined)[]) =>
    records.filter(({ direction, setup, fault, data, length }) => {
      const asked = [setup?.requestType, setup?.request, setup?.value];
      const isWhole = data !== '' && bytesOf(data).length === length;
      return (
        direction === 'in' &&
        setup &&
        !fault &&
        isWhole &&
        wanted.every((it, at) => it === undefined || it === asked[at])
      );
    });
  const described = answers(GET_REPORT_DESCRIPTOR).map(
    ({ setup, data }) => [setup?.index ?? 0, bytesOf(data)] as const,
  );
  const [id] = answers(GET_DEVICE_ID);
  const [first] = records.filter(({ direction, pipe }) => direction === 'in' && pipe !== undefined);
  const owner = identity.interfaces.find(({ pipes }) => pipes.some(({ address }) => address === first?.pipe));
  const isLine = owner?.pipes.some(({ address, type }) => address === first?.pipe && type === 'bulk') === true;
  const [, descriptor] = described.find(([number]) => number === owner?.number) ?? [];
  const layout = descriptor && parseReportDescriptor(descriptor);
  const replaced = ON_LINE[kind];
  const said: PacketsSaid =
    isLine && replaced !== undefined
      ? saidOnLine(records, replaced)
      : { reports: layout?.ok ? reportsOn(first?.pipe, records, layout.value) : [], answers: {} };
  const reports = said.reports.slice(0, MAX_REPORTS);
  const hasAnswers = Object.keys(said.answers).length > 0;
  return {
    descriptors: hexOf(bytesOf(identity.descriptors)),
    strings: { make: identity.make, model: identity.model },
    reportDescriptors: Object.fromEntries(described.map(([number, bytes]) => [number, hexOf(bytes)])),
    ...(id && { deviceIdRaw: hexOf(bytesOf(id.data)) }),
    reports,
    ...(hasAnswers && { answers: said.answers }),
    ...((reports.length > 0 || hasAnswers) && first?.pipe !== undefined && { reportPipe: first.pipe }),
  };
}

const reportsOn = (wanted: number | undefined, records: readonly CapturedRecord[], layout: ReportDescriptor) =>
  records
    .filter(({ direction, pipe, fault }) => direction === 'in' && pipe === wanted && !fault)
    .map(({ data }) => hexOf(withoutValues(bytesOf(data), layout)))
    .filter((report) => report !== '');

const KEYBOARD_PAGE = 0x07;
const SCANNER_PAGE = 0x8c;
const SCALE_PAGE = 0x8d;
/** HID Point of Sale Usage Tables 1.02: Decoded Data, and Data Weight. */
const DECODED_DATA = 0x8c00fe;
const DATA_WEIGHT = 0x8d0040;

/** The report with other values of the same shape; what is of no page known here is zero. */
export function withoutValues(report: Uint8Array, { numbered, fields }: ReportDescriptor): Uint8Array {
  const kept = new Uint8Array(report.length);
  if (numbered) kept.set(report.subarray(0, 1));
  for (const field of fields) {
    if (field.type !== 'input' || (numbered && field.reportId !== report[0])) continue;
    for (let index = 0; index < field.count; index += 1) {
      const value = readField(report, field, index);
      if (value !== undefined) write(kept, field, index, replaced(value, field));
    }
  }
  return kept;
}

function replaced(value: number, { usages, flags }: ReportField): number {
  const covers = (usage: number) => usages.some(({ first, last }) => first <= usage && usage <= last);
  const page = (usages[0]?.first ?? 0) >>> 16;
  const isArray = (flags & 0x02) === 0;
  if (page === KEYBOARD_PAGE) return isArray ? key(value) : covers(0x0700e0) ? value : 0;
  if (covers(DECODED_DATA)) return character(value);
  if (covers(DATA_WEIGHT)) return Math.sign(value);
  return page === SCANNER_PAGE || page === SCALE_PAGE ? value : 0;
}

/** A letter is an a, a digit a 1, on the keypad too (HID Usage Tables, 10); others say how a scan begins and ends. */
function key(usage: number): number {
  if (usage >= 0x04 && usage <= 0x1d) return 0x04;
  if (usage >= 0x1e && usage <= 0x27) return 0x1e;
  return usage >= 0x59 && usage <= 0x62 ? 0x59 : usage;
}

function write(report: Uint8Array, { bitOffset, bitSize }: ReportField, index: number, value: number): void {
  for (let bit = 0; bit < Math.min(bitSize, 32); bit += 1) {
    const at = bitOffset + index * bitSize + bit;
    const byte = at >> 3;
    if (byte < report.length && (value >>> bit) & 1) report[byte] = (report[byte] ?? 0) | (1 << (at & 7));
  }
}
