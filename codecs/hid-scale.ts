/**
 * HID scales, usage page 8D (HID Point of Sale Usage Tables 1.02, Weighing Devices): decodes data reports into readings. The
 * layout comes from the report descriptor or, where that cannot be used, is the six bytes of Dymo, Mettler Toledo and
 * Fairbanks scales: report id 3 or 4, status, unit, exponent, weight.
 */
import { defineCodec, type Parsed } from './codec.ts';
import { byteField, locateUsage, type ReportDescriptor, readField, type UsagePlace } from './hid-report.ts';

/** By the weight unit code: usages 8D:51 to 8D:5C, counted from 1 as every known scale does. */
const UNITS = [null, 'mg', 'g', 'kg', 'ct', 'tael', 'gr', 'dwt', 't', 'ton', 'ozt', 'oz', 'lb'] as const;
export type ScaleUnit = Exclude<(typeof UNITS)[number], null>;

/** Codec `hid-scale` and its recipe options. */
export const hidScale = defineCodec({
  name: 'hid-scale',
  kind: 'scale',
  options: {
    units: {
      type: 'array',
      items: { type: 'string', enum: UNITS.filter((unit) => unit !== null) },
      description: 'Units the scale weighs in; where it is only one, reports that name no unit are in it',
    },
    autoOffSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: 86_400,
      description: 'The scale switches itself off after this long without a change of weight',
    },
  },
});

export interface ScaleOptions {
  readonly units?: readonly ScaleUnit[];
  readonly autoOffSeconds?: number;
}

export type ScaleFault = 'under_zero' | 'over_limit' | 'needs_calibration' | 'needs_rezero' | 'fault';

export interface ScaleReading {
  /** In `unit`, exact to the last decimal sent, negative under zero; null where the scale reports no valid weight. */
  readonly weight: number | null;
  readonly unit: ScaleUnit | null;
  readonly stable: boolean;
  readonly fault: ScaleFault | null;
}

interface Status {
  readonly stable: boolean;
  readonly weighs: boolean;
  readonly fault: ScaleFault | null;
}

/** By the scale status code: usages 8D:71 to 8D:78, counted from 1 as every known scale does. */
const STATUSES: readonly (Status | undefined)[] = [
  undefined,
  { stable: false, weighs: false, fault: 'fault' },
  { stable: true, weighs: true, fault: null },
  { stable: false, weighs: true, fault: null },
  { stable: true, weighs: true, fault: null },
  { stable: false, weighs: true, fault: 'under_zero' },
  { stable: false, weighs: false, fault: 'over_limit' },
  { stable: false, weighs: false, fault: 'needs_calibration' },
  { stable: false, weighs: false, fault: 'needs_rezero' },
];
const AT_ZERO = 2;
const IN_MOTION = 3;

/** The largest exponent of a plausible weight, positive or negative. */
const MAX_EXPONENT = 9;

/** The places of the parts of a data report. */
export interface ScaleLayout {
  /** Empty where the device does not number its reports. */
  readonly reportIds: readonly number[];
  readonly status: UsagePlace | undefined;
  readonly unit: UsagePlace | undefined;
  readonly scaling: UsagePlace | undefined;
  readonly weight: UsagePlace;
}

const SIX_BYTES: ScaleLayout = {
  reportIds: [3, 4],
  status: byteField(1),
  unit: byteField(2),
  scaling: byteField(3),
  weight: byteField(4, 2),
};

const STATUS = 0x8d_0070;
const FIRST_STATUS = 0x8d_0071;
const UNIT = 0x8d_0050;
const FIRST_UNIT = 0x8d_0051;
const WEIGHT = 0x8d_0040;
const SCALING = 0x8d_0041;

/** The layout of the data reports. `descriptor`: undefined where it could not be read. */
export function scaleLayout(descriptor?: ReportDescriptor): ScaleLayout {
  const weight = descriptor && locateUsage(descriptor, 'input', WEIGHT);
  if (!descriptor || !weight) return SIX_BYTES;
  const { reportId } = weight.field;
  const locate = (usage: number) => locateUsage(descriptor, 'input', usage, reportId);
  return {
    reportIds: descriptor.numbered ? [reportId] : [],
    status: locate(FIRST_STATUS) ?? locate(STATUS),
    unit: locate(FIRST_UNIT) ?? locate(UNIT),
    scaling: locate(SCALING),
    weight,
  };
}

const NOTHING = { ok: true, value: null } as const;
const refuse = (reason: string) => ({ ok: false, reason }) as const;

/**
 * Decodes one report. `value`: null for another report of the device, and for one of zeros only, which some scales send
 * when they have no weight. A weight with an unknown status, unit or exponent is an error, never a guess.
 */
export function readScaleReport(
  layout: ScaleLayout,
  report: Uint8Array,
  options: ScaleOptions = {},
): Parsed<ScaleReading | null> {
  const { reportIds } = layout;
  if (reportIds.length > 0 && !reportIds.includes(report[0] ?? 0)) return NOTHING;
  if (report.every((byte, at) => byte === 0 || (at === 0 && reportIds.length > 0))) return NOTHING;
  const magnitude = valueAt(report, layout.weight);
  if (magnitude === undefined) return refuse(`scale report of ${report.length} bytes`);

  const statusCode = layout.status ? (valueAt(report, layout.status) ?? 0) : IN_MOTION;
  const status = STATUSES[statusCode];
  if (status === undefined) return refuse(`scale status ${statusCode}`);
  const { stable, fault } = status;
  const unitCode = valueAt(report, layout.unit) ?? 0;
  const unit = UNITS[unitCode] ?? (options.units?.length === 1 && unitCode === 0 ? options.units[0]! : null);
  if (!status.weighs) return { ok: true, value: { weight: null, unit, stable, fault } };

  if (unit === null) return refuse(`weight unit ${unitCode}`);
  const exponent = exponentOf(report, layout);
  if (exponent === undefined) return refuse(`scale report of ${report.length} bytes`);
  if (Math.abs(exponent) > MAX_EXPONENT) return refuse(`weight exponent ${exponent}`);
  // Converting decimal text gives the nearest double: 1135e-1 is 113.5. Multiplying by 0.1 would not be exact.
  const weight = statusCode === AT_ZERO || magnitude === 0 ? 0 : Number(`${magnitude}e${exponent}`);
  return { ok: true, value: { weight: fault === 'under_zero' ? 0 - Math.abs(weight) : weight, unit, stable, fault } };
}

const valueAt = (report: Uint8Array, place: UsagePlace | undefined) =>
  place && readField(report, place.field, place.index);

/**
 * The power of ten of the weight: the scaling byte, always read as signed, or the unit exponent of the weight field where
 * there is no such byte. Undefined where the report is too short.
 */
function exponentOf(report: Uint8Array, { scaling, weight }: ScaleLayout): number | undefined {
  if (scaling === undefined) return weight.field.unitExponent;
  const byte = valueAt(report, scaling);
  return byte === undefined ? undefined : (byte << 24) >> 24;
}
