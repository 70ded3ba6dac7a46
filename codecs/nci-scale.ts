/**
 * NCI standard protocol (SCP-01) of Weigh-Tronix, Brecknell, Ohaus and others: W CR asks, the answer is the weight with its
 * unit and two or more status bytes (Avery Weigh-Tronix 7821 User Instructions, 6.3, page 25; status bits: Ohaus Aviator 7000
 * Service Manual, page 49; an S before the status: Mettler Toledo DIVA Service Manual, page 35).
 */
import { defineCodec, type Parsed } from './codec.ts';
import type { ScaleFault, ScaleReading } from './hid-scale.ts';
import { SEVEN_EVEN } from './serial-line.ts';
import { begin, ETX, ouncesOf, type SerialScaleProtocol, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `nci`. */
export const nci = defineCodec({ name: 'nci', kind: 'scale', options: {}, onSerialLine: {} });

const MOTION = 0x01;
const MEMORY_ERRORS = 0x0c;
const UNDER_CAPACITY = 0x01;
const OVER_CAPACITY = 0x02;
const ROM_ERROR = 0x04;
const FAULTY_CALIBRATION = 0x08;
const INITIAL_ZERO_ERROR = 0x08;

/** The first status byte has bit 6 clear; each later one has it set where another follows. */
const STATUS = '[0-?][0-?p-\\x7f]{1,3}';
const POUNDS_AND_OUNCES = /^ *([+-]?) *(\d{1,4}) *lb +(\d{1,2}(?:\.\d{1,3})?) *oz *$/i;
const WEIGHT = /^ *([+-]? *[\d.]+) *([A-Za-z]+) *$/;

function faultOf(bits: readonly number[]): ScaleFault | undefined {
  const [first = 0, second = 0, third = 0] = bits;
  if (first & MEMORY_ERRORS || second & ROM_ERROR) return 'fault';
  if (second & FAULTY_CALIBRATION) return 'needs_calibration';
  if (third & INITIAL_ZERO_ERROR) return 'needs_rezero';
  if (second & OVER_CAPACITY) return 'over_limit';
  return second & UNDER_CAPACITY ? 'under_zero' : undefined;
}

function displayed(text: string, stable: boolean): Parsed<ScaleReading> {
  const [, sign = '', pounds, ounces] = POUNDS_AND_OUNCES.exec(text) ?? [];
  if (pounds !== undefined && ounces !== undefined) return ouncesOf(sign, pounds, ounces, stable);
  const [, digits, unit] = WEIGHT.exec(text) ?? [];
  return digits === undefined
    ? { ok: false, reason: `no weight: ${JSON.stringify(text)}` }
    : weightOf(digits, unit, stable);
}

/** The protocol `nci`. Pounds and ounces are given as ounces. */
export const nciProtocol: SerialScaleProtocol = {
  name: nci.name,
  line: SEVEN_EVEN,
  ask: 'W\r',
  last: ETX,
  message: new RegExp(`${begin('\\n', ETX)}(?:([^\\r\\n]{1,16})\\r\\n)?S?(${STATUS}|\\?)\\r?${ETX}`, 'g'),
  read([text, status = '']) {
    const bits = [...status].map((byte) => byte.charCodeAt(0) & 0x0f);
    const fault = status === '?' ? 'fault' : faultOf(bits);
    if (fault !== undefined) return withoutWeight(fault);
    const moves = ((bits[0] ?? 0) & MOTION) !== 0;
    if (text !== undefined) return displayed(text, !moves);
    return withoutWeight(moves ? null : 'fault');
  },
};
